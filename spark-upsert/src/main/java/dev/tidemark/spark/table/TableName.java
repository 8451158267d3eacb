package dev.tidemark.spark.table;

import java.util.regex.Pattern;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * A table of a Spark catalog. Each part is of letters, digits, {@code _} and {@code -} alone, so
 * that names need no escaping in what a table keeps.
 *
 * @param catalog the catalog's name in the Spark session
 */
public record TableName(String catalog, String namespace, String table) {
  private static final Pattern PART = Pattern.compile("[A-Za-z0-9_-]+");

  public TableName {
    for (String part : new String[] {catalog, namespace, table}) {
      if (!PART.matcher(part).matches()) {
        throw invalid(catalog + "." + namespace + "." + table);
      }
    }
  }

  /**
   * Reads {@code catalog.namespace.table}.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static TableName parse(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 3) {
      throw invalid(text);
    }
    return new TableName(parts[0], parts[1], parts[2]);
  }

  /** The name for SQL, quoted. */
  public String sql() {
    return "`" + catalog + "`.`" + namespace + "`.`" + table + "`";
  }

  /** The name inside its catalog: what a base table calls its ledger. */
  public String inCatalog() {
    return namespace + "." + table;
  }

  /** The name inside its catalog, for Iceberg. */
  public TableIdentifier identifier() {
    return TableIdentifier.of(Namespace.of(namespace), table);
  }

  /** {@code catalog.namespace.table}. */
  @Override
  public String toString() {
    return catalog + "." + namespace + "." + table;
  }

  private static IllegalArgumentException invalid(String text) {
    return new IllegalArgumentException(
        "Invalid table name: "
            + text
            + " (expected: catalog.namespace.table, each of letters, digits, _ and -)");
  }
}

package dev.tidemark.quickstart.embedded;

import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** An Iceberg JdbcCatalog on SQLite in a directory. As thread-safe as that catalog. */
public final class EmbeddedIcebergCatalog implements AutoCloseable {
  private static final String NAME = "quickstart";

  private final Map<String, String> properties;
  private final JdbcCatalog catalog;

  private EmbeddedIcebergCatalog(Map<String, String> properties) {
    this.properties = properties;
    this.catalog = new JdbcCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize(NAME, properties);
  }

  /** A catalog whose database and warehouse are in this directory, which must exist. */
  public static EmbeddedIcebergCatalog in(Path directory) {
    return new EmbeddedIcebergCatalog(
        Map.of(
            CatalogProperties.URI,
            "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000",
            CatalogProperties.WAREHOUSE_LOCATION,
            directory.resolve("warehouse").toString(),
            CatalogProperties.FILE_IO_IMPL,
            "org.apache.iceberg.hadoop.HadoopFileIO",
            "jdbc.schema-version",
            "V1"));
  }

  /** Creates a table, and its namespace where that is missing. */
  public Table create(TableIdentifier table, Schema schema, PartitionSpec spec) {
    if (!catalog.namespaceExists(table.namespace())) {
      catalog.createNamespace(table.namespace(), Map.of());
    }
    return catalog.createTable(table, schema, spec);
  }

  /** Loads a table: a handle of its own, for another thread. */
  public Table load(TableIdentifier table) {
    return catalog.loadTable(table);
  }

  /** The catalog's name, by which its database knows its tables. */
  public String name() {
    return NAME;
  }

  /** What opens the catalog elsewhere, beside its class. */
  public Map<String, String> properties() {
    return properties;
  }

  /** What a Flink job loads a table with. */
  public TableLoader loader(TableIdentifier table) {
    return TableLoader.fromCatalog(
        CatalogLoader.custom(NAME, properties, new Configuration(), JdbcCatalog.class.getName()),
        table);
  }

  @Override
  public void close() {
    catalog.close();
  }
}

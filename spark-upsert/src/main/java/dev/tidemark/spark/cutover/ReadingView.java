package dev.tidemark.spark.cutover;

import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * A view that readers use in place of a table, so that what they read can be swapped. It remembers
 * what it showed before. Give each group of readers a view of its own, and swap those first whose
 * readers can bear a mistake.
 *
 * @param view {@code database.view} in the session's catalog
 */
public record ReadingView(String view) {
  private static final String SOURCE = "tidemark.source";
  private static final String PREVIOUS = "tidemark.previous";

  /** Shows a base table from now on: its source columns of rows that are not deleted. */
  public void showBase(SparkSession spark, TableName base) {
    String columns =
        SparkTables.load(spark, base).schema().columns().stream()
            .map(field -> field.name())
            .filter(name -> !BaseColumns.isKept(name))
            .map(name -> "`" + name + "`")
            .collect(Collectors.joining(", "));
    show(
        spark,
        "SELECT %s FROM %s WHERE NOT %s".formatted(columns, base.sql(), BaseColumns.DELETED));
  }

  /** Shows a table as it is from now on. */
  public void showTable(SparkSession spark, TableName table) {
    show(spark, "SELECT * FROM " + table.sql());
  }

  /**
   * Shows again what it showed before the last swap.
   *
   * @throws IllegalStateException if it was never swapped
   */
  public void fallBack(SparkSession spark) {
    String previous = property(spark, PREVIOUS);
    if (previous == null) {
      throw new IllegalStateException(
          "Cannot swap view "
              + view
              + " back: it has shown nothing else (expected: a view that was swapped)");
    }
    show(spark, previous);
  }

  /** The query that it shows; null if there is no such view, or somebody else made it. */
  public @Nullable String shown(SparkSession spark) {
    return property(spark, SOURCE);
  }

  private void show(SparkSession spark, String query) {
    String before = shown(spark);
    String kept = before == null ? "" : ", '%s' = '%s'".formatted(PREVIOUS, escaped(before));
    spark.sql(
        "CREATE OR REPLACE VIEW %s TBLPROPERTIES ('%s' = '%s'%s) AS %s"
            .formatted(view, SOURCE, escaped(query), kept, query));
  }

  private @Nullable String property(SparkSession spark, String key) {
    if (!spark.catalog().tableExists(view)) {
      return null;
    }
    for (Row row : spark.sql("SHOW TBLPROPERTIES " + view).collectAsList()) {
      if (row.getString(0).equals(key)) {
        return row.getString(1);
      }
    }
    return null;
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("'", "\\'");
  }
}

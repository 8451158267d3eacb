package dev.tidemark.spark.cutover;

import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchViewException;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.connector.catalog.ViewCatalog;
import org.jspecify.annotations.Nullable;

/**
 * A view that readers use in place of a table, so that what they read can be swapped. It remembers
 * what it showed before, also where somebody else made it. Give each group of readers a view of its
 * own, and swap those first whose readers can bear a mistake: {@link #showsBase} tells whether they
 * are, for the views whose readers cannot.
 *
 * @param view {@code catalog.namespace.view} of an Iceberg catalog that holds views, or {@code
 *     database.view} of Spark's session catalog, which must outlive the session
 */
public record ReadingView(String view) {
  public ReadingView {
    int parts = view.split("\\.", -1).length;
    if (parts != 2 && parts != 3) {
      throw new IllegalArgumentException(
          "Invalid view name: " + view + " (expected: catalog.namespace.view or database.view)");
    }
  }

  /** Shows a base table from now on: its source columns of rows that are not deleted. */
  public void showBase(SparkSession spark, TableName base) {
    swap(spark, baseQuery(spark, base));
  }

  /** Whether it shows a base table, as a swap has made it. */
  public boolean showsBase(SparkSession spark, TableName base) {
    Current current = current(spark);
    return current != null && current.shown().hasTargetOf(baseQuery(spark, base));
  }

  private static ShownQuery baseQuery(SparkSession spark, TableName base) {
    String columns =
        SparkTables.load(spark, base).schema().columns().stream()
            .map(field -> field.name())
            .filter(name -> !BaseColumns.isKept(name))
            .map(name -> ShownQuery.quoted(List.of(name), ""))
            .collect(Collectors.joining(", "));
    String query =
        "SELECT %s FROM %s WHERE NOT coalesce(%s, false)"
            .formatted(columns, base.sql(), BaseColumns.DELETED);
    return ShownQuery.ours(query, "base " + base);
  }

  /** Shows a table as it is from now on. */
  public void showTable(SparkSession spark, TableName table) {
    swap(spark, ShownQuery.ours("SELECT * FROM " + table.sql(), "table " + table));
  }

  /**
   * Shows again what it showed before it was moved last. Once it does it stays there, however often
   * this is asked, until it is moved again: a way back that is sent twice never leads forward.
   *
   * @return false if nothing was changed, since it shows that already
   * @throws IllegalStateException if it has never shown anything else
   */
  public boolean fallBack(SparkSession spark) {
    Current current = current(spark);
    if (current != null && current.isBack()) {
      return false;
    }
    if (current == null || current.previous() == null) {
      throw new IllegalStateException(
          "Cannot swap view "
              + view
              + " back: it has shown nothing else (expected: a view that was swapped)");
    }
    show(spark, new Current(current.previous(), null, true));
    return true;
  }

  /** The query that it shows; null if there is no such view. */
  public @Nullable String shown(SparkSession spark) {
    Current current = current(spark);
    return current == null ? null : current.shown().query();
  }

  /** A swap to what it shows already, say for a new column, keeps what it showed before that. */
  private void swap(SparkSession spark, ShownQuery next) {
    Current current = current(spark);
    if (current == null) {
      show(spark, new Current(next, null, false));
    } else if (current.shown().hasTargetOf(next)) {
      show(spark, new Current(next, current.previous(), current.isBack()));
    } else {
      show(spark, new Current(next, current.shown(), false));
    }
  }

  private void show(SparkSession spark, Current next) {
    ShownQuery shown = next.shown();
    String statement =
        "CREATE OR REPLACE VIEW %s%s TBLPROPERTIES (%s) AS %s"
            .formatted(
                sql(),
                shown.aliases().isEmpty() ? "" : " (" + shown.aliases() + ")",
                shown.properties(next.previous(), next.isBack()),
                shown.query());
    try {
      if (shown.place().isEmpty()) {
        spark.sql(statement);
      } else {
        CurrentPlace.parse(spark, shown.place()).during(spark, () -> spark.sql(statement));
      }
    } catch (UnsupportedOperationException e) {
      throw new IllegalStateException(
          "Cannot swap view %s: its catalog holds no views (%s)".formatted(view, e.getMessage()),
          e);
    }
  }

  /** What is there, what was there before, and whether the view fell back to what is there. */
  private record Current(ShownQuery shown, @Nullable ShownQuery previous, boolean isBack) {
    static Current of(ShownQuery shown, Map<String, String> properties) {
      return new Current(shown, ShownQuery.before(properties), shown.isFallenBackTo(properties));
    }
  }

  private @Nullable Current current(SparkSession spark) {
    return isInSessionCatalog() ? inSessionCatalog(spark) : inCatalog(spark);
  }

  private @Nullable Current inSessionCatalog(SparkSession spark) {
    if (spark.conf().get("spark.sql.catalogImplementation", "in-memory").equals("in-memory")) {
      throw new IllegalStateException(
          "Cannot swap view %s: Spark's session catalog is in memory, and the view would end with this process (expected: catalog.namespace.view of an Iceberg catalog that holds views, or spark.sql.catalogImplementation=hive)"
              .formatted(view));
    }
    CatalogTable table = ShownQuery.inSessionCatalog(spark, sql());
    if (table == null) {
      return null;
    }
    if (table.viewText().isEmpty()) {
      throw noView();
    }
    return Current.of(ShownQuery.of(table), ShownQuery.properties(table));
  }

  private @Nullable Current inCatalog(SparkSession spark) {
    List<String> parts = parts();
    CatalogPlugin catalog =
        ((org.apache.spark.sql.classic.SparkSession) spark)
            .sessionState()
            .catalogManager()
            .catalog(parts.get(0));
    if (!(catalog instanceof ViewCatalog views)) {
      throw new IllegalStateException(
          "Cannot swap view %s: catalog %s holds no views".formatted(view, parts.get(0)));
    }
    try {
      View found = views.loadView(Identifier.of(new String[] {parts.get(1)}, parts.get(2)));
      return Current.of(ShownQuery.of(found), found.properties());
    } catch (NoSuchViewException e) {
      return null;
    }
  }

  private IllegalStateException noView() {
    return new IllegalStateException(
        "Cannot swap view " + view + ": it is a table (expected: a view, or nothing yet)");
  }

  private boolean isInSessionCatalog() {
    return parts().size() == 2 || parts().get(0).equals("spark_catalog");
  }

  private List<String> parts() {
    return Arrays.asList(view.split("\\.", -1));
  }

  private String sql() {
    String quoted = ShownQuery.quoted(parts(), ".");
    return parts().size() == 2 ? "`spark_catalog`." + quoted : quoted;
  }
}

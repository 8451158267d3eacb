package dev.tidemark.spark.table;

import dev.tidemark.iceberg.catalog.FinalityCatalog;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.parser.ParseException;

/** Loads Iceberg tables through the catalogs of a Spark session. */
public final class SparkTables {
  private SparkTables() {}

  /**
   * A table as it is now, also where the session remembers one of the same name that was dropped: a
   * refresh of that would fail, or find nothing new. Spark may use the same handle.
   *
   * @throws IllegalArgumentException if there is no such table
   */
  public static Table load(SparkSession spark, TableName name) {
    try {
      Spark3Util.loadIcebergCatalog(spark, name.catalog()).invalidateTable(name.identifier());
      return Spark3Util.loadIcebergTable(spark, name.sql());
    } catch (NoSuchTableException | ParseException e) {
      throw new IllegalArgumentException(
          "Cannot find table " + name + " (expected: an Iceberg table of the Spark session)", e);
    }
  }

  /**
   * A base table, whose commits must carry finality into its properties.
   *
   * @throws IllegalArgumentException if its catalog does not do that
   */
  public static Table loadBase(SparkSession spark, TableName name) {
    Table table = load(spark, name);
    if (!FinalityCatalog.carries(table)) {
      throw new IllegalArgumentException(
          "Cannot merge into %s: catalog %s does not carry finality in the commit (expected: spark.sql.catalog.%s.catalog-impl=%s around the catalog that it has now)"
              .formatted(name, name.catalog(), name.catalog(), FinalityCatalog.class.getName()));
    }
    return table;
  }
}

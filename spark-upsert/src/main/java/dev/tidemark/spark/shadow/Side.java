package dev.tidemark.spark.shadow;

import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.util.Objects;
import java.util.UUID;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.jspecify.annotations.Nullable;

/**
 * One side of a comparison.
 *
 * @param name for people
 * @param rows its live rows; columns of the other side that it lacks count as null
 * @param changedAt the column that tells when a row was changed last, a timestamp; null if none,
 *     and then no cut can leave out what is too new
 * @param deleted the rows that it knows were deleted, and when: its keys and {@code changedAt};
 *     null if it forgets them
 * @param table the Iceberg table that it is; null if it is none
 */
public record Side(
    String name,
    Dataset<Row> rows,
    @Nullable String changedAt,
    @Nullable Dataset<Row> deleted,
    @Nullable UUID table) {
  public Side {
    Objects.requireNonNull(name, "name is null");
    Objects.requireNonNull(rows, "rows is null");
  }

  /** A side that forgets what was deleted, and may be anything. */
  public Side(String name, Dataset<Row> rows, @Nullable String changedAt) {
    this(name, rows, changedAt, null, null);
  }

  /** A base table: its rows that are not deleted, and its tombstones. */
  public static Side base(SparkSession spark, TableName base) {
    Dataset<Row> all = spark.table(base.sql());
    Column deleted = functions.coalesce(functions.col(BaseColumns.DELETED), functions.lit(false));
    return new Side(
        base.toString(),
        all.filter(functions.not(deleted)),
        BaseColumns.SOURCE_TIME,
        all.filter(deleted),
        SparkTables.load(spark, base).uuid());
  }
}

package dev.tidemark.spark.shadow;

import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.TableName;
import java.util.Objects;
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
 */
public record Side(String name, Dataset<Row> rows, @Nullable String changedAt) {
  public Side {
    Objects.requireNonNull(name, "name is null");
    Objects.requireNonNull(rows, "rows is null");
  }

  /** A base table: its rows that are not deleted. */
  public static Side base(SparkSession spark, TableName base) {
    return new Side(
        base.toString(),
        spark
            .table(base.sql())
            .filter(
                functions.not(
                    functions.coalesce(functions.col(BaseColumns.DELETED), functions.lit(false)))),
        BaseColumns.SOURCE_TIME);
  }
}

package dev.tidemark.spark.shadow;

import java.util.Objects;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
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
}

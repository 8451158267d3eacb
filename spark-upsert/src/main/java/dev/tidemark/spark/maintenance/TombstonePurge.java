package dev.tidemark.spark.maintenance;

import dev.tidemark.spark.table.TableName;
import java.time.Instant;
import org.apache.spark.sql.SparkSession;

/**
 * Removes tombstones of a base table. A tombstone stops older changes of its key that arrive after
 * the DELETE, so it may go once none can arrive any more: when Kafka has dropped what is older, and
 * no job will read it again. One of a changed key may hold columns that the INSERT of the new key
 * left out: merge what that INSERT may still be in first.
 */
public final class TombstonePurge {
  private TombstonePurge() {}

  /**
   * Removes the tombstones of rows that were deleted before a time.
   *
   * @param before by the source's clock; earlier than anything Kafka still retains
   */
  public static void run(SparkSession spark, TableName base, Instant before) {
    spark.sql(
        "DELETE FROM %s WHERE cdc_deleted AND cdc_source_time < timestamp_millis(%d)"
            .formatted(base.sql(), before.toEpochMilli()));
  }
}

package dev.tidemark.spark.maintenance;

import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * Expires old snapshots, and never one that somebody still needs:
 *
 * <ul>
 *   <li>of a ledger, everything since the snapshot up to which each of its base tables has merged
 *       it: the next merge reads the range from there; nothing at all while one of them has not
 *       merged it yet;
 *   <li>of every table, the snapshot that carries its opinion (the watermark's window rides on it)
 *       and, on a base table, the one that carries the state of its merges;
 *   <li>whatever is younger than {@code minAge}: a sink that restarts looks for its last commit in
 *       the history, and a reader may still be at work.
 * </ul>
 *
 * @param minAge how long each snapshot is kept at least
 */
public record SnapshotExpiry(Duration minAge, Clock clock) {
  public SnapshotExpiry {
    if (minAge.isNegative()) {
      throw new IllegalArgumentException("minAge: " + minAge + " (expected: not negative)");
    }
    Objects.requireNonNull(clock, "clock is null");
  }

  /** As in production: five days. */
  public static SnapshotExpiry standard() {
    return new SnapshotExpiry(Duration.ofDays(5), Clock.systemUTC());
  }

  /**
   * Expires snapshots of a ledger.
   *
   * @param bases all base tables that the ledger is merged into
   * @return how many are gone
   */
  public int ledger(SparkSession spark, TableName ledger, List<TableName> bases) {
    Table table = SparkTables.load(spark, ledger);
    long cutoff = cutoff(table);
    for (TableName base : bases) {
      MergeState state = MergeState.of(SparkTables.load(spark, base));
      Long merged = state.of(ledger.inCatalog()).snapshotId();
      Snapshot needed = merged == null ? null : table.snapshot(merged);
      if (needed == null) {
        return 0;
      }
      cutoff = Math.min(cutoff, oldestSince(table, needed));
    }
    return expire(table, cutoff);
  }

  /**
   * Expires snapshots of a base table.
   *
   * @return how many are gone
   */
  public int base(SparkSession spark, TableName base) {
    Table table = SparkTables.load(spark, base);
    Snapshot carrier =
        IcebergHistory.of(table, SnapshotRef.MAIN_BRANCH)
            .snapshots()
            .filter(snapshot -> MergeState.read(summary(snapshot)) != null)
            .findFirst()
            .orElse(null);
    return expire(table, Math.min(cutoff(table), oldestSince(table, carrier)));
  }

  /** The time before which snapshots may go, as far as the table itself is concerned. */
  private long cutoff(Table table) {
    Snapshot carrier = TableTruth.read(table, SnapshotRef.MAIN_BRANCH).carrier();
    return Math.min(clock.millis() - minAge.toMillis(), oldestSince(table, carrier));
  }

  /**
   * The earliest commit time from a snapshot to the head, or no limit without a snapshot. Expiry
   * stops at the first ancestor that is too old, whatever is beneath it, and clocks may have gone
   * back since.
   */
  private static long oldestSince(Table table, @Nullable Snapshot needed) {
    if (needed == null) {
      return Long.MAX_VALUE;
    }
    long oldest = needed.timestampMillis();
    Snapshot snapshot = table.currentSnapshot();
    while (snapshot != null && snapshot.snapshotId() != needed.snapshotId()) {
      oldest = Math.min(oldest, snapshot.timestampMillis());
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : table.snapshot(parent);
    }
    return oldest;
  }

  private static int expire(Table table, long cutoff) {
    int before = count(table);
    table.expireSnapshots().expireOlderThan(cutoff).retainLast(1).commit();
    table.refresh();
    return before - count(table);
  }

  private static int count(Table table) {
    int count = 0;
    for (Snapshot ignored : table.snapshots()) {
      count++;
    }
    return count;
  }

  private static java.util.Map<String, String> summary(Snapshot snapshot) {
    java.util.Map<String, String> summary = snapshot.summary();
    return summary == null ? java.util.Map.of() : summary;
  }
}

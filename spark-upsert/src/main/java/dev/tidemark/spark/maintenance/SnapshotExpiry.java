package dev.tidemark.spark.maintenance;

import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.ExpireSnapshots;
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
 * <p>Iceberg lets a snapshot age that is set on a branch override the one that expiry asks for.
 * Where main has one by which some of these would go, nothing is expired; a number of snapshots
 * that main is to keep is kept.
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
   * What came of it.
   *
   * @param expired how many snapshots are gone
   * @param held for each base table that lets none go, why
   */
  public record Result(int expired, List<String> held) {
    public Result {
      held = List.copyOf(held);
    }
  }

  /**
   * Expires snapshots of a ledger.
   *
   * @param bases all base tables that the ledger is merged into
   * @throws IllegalStateException if main's own snapshot age would have needed ones go
   */
  public Result ledger(SparkSession spark, TableName ledger, List<TableName> bases) {
    Table table = SparkTables.load(spark, ledger);
    long cutoff = cutoff(table);
    List<String> held = new ArrayList<>();
    for (TableName base : bases) {
      Long merged =
          MergeState.of(SparkTables.load(spark, base)).of(ledger.inCatalog()).snapshotId();
      Snapshot needed = merged == null ? null : table.snapshot(merged);
      if (needed == null) {
        held.add(held(base, ledger, merged));
      } else {
        cutoff = Math.min(cutoff, oldestSince(table, needed));
      }
    }
    return new Result(held.isEmpty() ? expire(table, ledger, cutoff) : 0, held);
  }

  private static String held(TableName base, TableName ledger, @Nullable Long merged) {
    String why =
        merged == null
            ? "it has not merged %s yet".formatted(ledger)
            : "the snapshot of %s that it merged last, %d, is gone".formatted(ledger, merged);
    return "none may go while %s lets none: %s (expected: a snapshot from which its next merge reads on). Merge it, or leave it out of --bases if it is no base table of this ledger any more"
        .formatted(base, why);
  }

  /**
   * Expires snapshots of a base table.
   *
   * @return how many are gone
   * @throws IllegalStateException if main's own snapshot age would have needed ones go
   */
  public int base(SparkSession spark, TableName base) {
    Table table = SparkTables.load(spark, base);
    Snapshot carrier =
        IcebergHistory.of(table, SnapshotRef.MAIN_BRANCH)
            .snapshots()
            .filter(snapshot -> MergeState.read(summary(snapshot)) != null)
            .findFirst()
            .orElse(null);
    return expire(table, base, Math.min(cutoff(table), oldestSince(table, carrier)));
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

  private static int expire(Table table, TableName name, long cutoff) {
    int before = count(table);
    ExpireSnapshots expiry = table.expireSnapshots().expireOlderThan(cutoff).retainLast(1);
    refuseNeeded(table, name, expiry.apply(), cutoff);
    expiry.commit();
    table.refresh();
    return before - count(table);
  }

  /** Those of main down to the first that is older than the cutoff stay, as expiry has it. */
  private static void refuseNeeded(
      Table table, TableName name, List<Snapshot> expired, long cutoff) {
    Set<Long> ids = expired.stream().map(Snapshot::snapshotId).collect(Collectors.toSet());
    Snapshot snapshot = table.currentSnapshot();
    while (snapshot != null && snapshot.timestampMillis() >= cutoff) {
      if (ids.contains(snapshot.snapshotId())) {
        throw new IllegalStateException(refusal(table, name, snapshot, cutoff));
      }
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : table.snapshot(parent);
    }
  }

  private static String refusal(Table table, TableName name, Snapshot snapshot, long cutoff) {
    SnapshotRef main = table.refs().get(SnapshotRef.MAIN_BRANCH);
    Long age = main == null ? null : main.maxSnapshotAgeMs();
    return "Cannot expire snapshots of %s: its branch main keeps them for %s by a setting of its own, so that snapshot %d of %s would go, which a merge, the watermark or a reader may still need (expected: those since %s stay). Nothing was expired. While nobody commits to it, give main a longer age: ALTER TABLE %s REPLACE BRANCH main WITH SNAPSHOT RETENTION %d DAYS"
        .formatted(
            name,
            age == null ? "less" : Duration.ofMillis(age),
            snapshot.snapshotId(),
            Instant.ofEpochMilli(snapshot.timestampMillis()),
            Instant.ofEpochMilli(cutoff),
            name.sql(),
            // Room for the time until the next merge.
            2 * (Duration.ofMillis(System.currentTimeMillis() - cutoff).toDays() + 1));
  }

  private static int count(Table table) {
    int count = 0;
    for (Snapshot ignored : table.snapshots()) {
      count++;
    }
    return count;
  }

  private static Map<String, String> summary(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null ? Map.of() : summary;
  }
}

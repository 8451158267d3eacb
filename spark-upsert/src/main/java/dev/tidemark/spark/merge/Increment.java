package dev.tidemark.spark.merge;

import dev.tidemark.spark.table.MergeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/** What a merge must read of a ledger: the part of its history that the base table lacks. */
sealed interface Increment {
  /** The snapshot that the merge is pinned to, inclusive. */
  long end();

  /** Rows to read, as the ledger's snapshots say. */
  long rows();

  /** Nothing was appended since the last merge. */
  record Nothing(long end) implements Increment {
    @Override
    public long rows() {
      return 0;
    }
  }

  /**
   * The snapshots after one, up to another. Rewrites between them are left out.
   *
   * @param after exclusive
   */
  record Range(long after, long end, long rows) implements Increment {}

  /**
   * The whole ledger as of a snapshot.
   *
   * @param reason why no range will do
   */
  record Whole(long end, long rows, String reason) implements Increment {}

  /**
   * The increment from the last merge to a snapshot.
   *
   * @param before what the base table keeps of the ledger
   */
  static Increment between(Table ledger, MergeState.Ledger before, long end) {
    if (before.isOfAnother(ledger.uuid().toString())) {
      return whole(
          ledger,
          end,
          "ledger %s is another table than the one merged before (it was dropped and made again)"
              .formatted(ledger.name()));
    }
    Long last = before.snapshotId();
    if (last == null) {
      return whole(ledger, end, "first merge");
    }
    List<Snapshot> since = new ArrayList<>();
    Snapshot oldest = ledger.snapshot(end);
    Snapshot snapshot = oldest;
    while (snapshot != null && snapshot.snapshotId() != last) {
      since.add(snapshot);
      oldest = snapshot;
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : ledger.snapshot(parent);
    }
    if (snapshot == null) {
      return whole(ledger, end, lost(Objects.requireNonNull(oldest), ledger.snapshot(last), last));
    }
    if (since.stream().anyMatch(one -> DataOperations.OVERWRITE.equals(one.operation()))) {
      return whole(ledger, end, "somebody overwrote rows of the ledger since snapshot " + last);
    }
    long rows = since.stream().mapToLong(Increment::appended).sum();
    return rows == 0 ? new Nothing(end) : new Range(last, end, rows);
  }

  private static Increment whole(Table ledger, long end, String reason) {
    Map<String, String> summary = ledger.snapshot(end).summary();
    return new Whole(end, count(summary, SnapshotSummary.TOTAL_RECORDS_PROP), reason);
  }

  /**
   * Why the snapshot that was merged last is not among those that lead to the end.
   *
   * @param oldest the first of those that are kept
   * @param merged the one that was merged last; null if it is gone. A tag may keep it
   */
  private static String lost(Snapshot oldest, @Nullable Snapshot merged, long last) {
    if (oldest.parentId() == null) {
      return merged != null
          ? "the ledger was rolled back behind the last merged snapshot " + last
          : "the ledger's history is whole and does not hold the last merged snapshot, %d: it was rolled back behind it, or made again"
              .formatted(last);
    }
    return merged != null && isLater(merged, oldest)
        ? "the ledger was rolled back behind the last merged snapshot " + last
        : "snapshots since the last merged one, " + last + ", were expired";
  }

  /** Sequence numbers never go back, as times do; tables of format version 1 have none. */
  private static boolean isLater(Snapshot one, Snapshot other) {
    return one.sequenceNumber() == other.sequenceNumber()
        ? one.timestampMillis() > other.timestampMillis()
        : one.sequenceNumber() > other.sequenceNumber();
  }

  private static long appended(Snapshot snapshot) {
    return DataOperations.APPEND.equals(snapshot.operation())
        ? count(snapshot.summary(), SnapshotSummary.ADDED_RECORDS_PROP)
        : 0;
  }

  private static long count(@Nullable Map<String, String> summary, String key) {
    return summary == null ? 0 : Long.parseLong(summary.getOrDefault(key, "0"));
  }
}

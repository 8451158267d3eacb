package dev.tidemark.cli.store;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergHistory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Map;
import org.apache.iceberg.ManageSnapshots;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/** Tags the snapshots of an Iceberg table at which spans of event time became final. */
final class FinalTags {
  private final String table;
  private final Table handle;
  private final String branch;
  private final Clock clock;

  FinalTags(String table, Table handle, String branch, Clock clock) {
    this.table = table;
    this.handle = handle;
    this.branch = branch;
    this.clock = clock;
  }

  /** Tags it, if it is not tagged already; sets how long to keep it, if that is given. */
  FinalTag tag(String name, long startMillis, long endMillis, @Nullable Duration keep) {
    Snapshot snapshot = firstFinal(name, startMillis, endMillis);
    SnapshotRef there = handle.refs().get(name);
    if (there != null && (!there.isTag() || there.snapshotId() != snapshot.snapshotId())) {
      throw new IllegalStateException(
          "Cannot tag "
              + table
              + ": "
              + (there.isTag() ? "tag " : "branch ")
              + name
              + " shows snapshot "
              + there.snapshotId()
              + " (expected: "
              + snapshot.snapshotId()
              + ", at which it became final). Drop it, or choose another name with --name.");
    }
    checkKept(name, snapshot, keep);
    boolean changes =
        there == null
            || (keep != null && !Long.valueOf(keep.toMillis()).equals(there.maxRefAgeMs()));
    if (changes) {
      ManageSnapshots manage = handle.manageSnapshots();
      if (there == null) {
        manage.createTag(name, snapshot.snapshotId());
      }
      if (keep != null) {
        manage.setMaxRefAgeMs(name, keep.toMillis());
      }
      manage.commit();
    }
    return new FinalTag(
        name, Long.toString(snapshot.snapshotId()), snapshot.timestampMillis(), there == null);
  }

  private void checkKept(String name, Snapshot snapshot, @Nullable Duration keep) {
    if (keep == null) {
      return;
    }
    Instant end = Instant.ofEpochMilli(snapshot.timestampMillis()).plus(keep);
    if (!end.isAfter(clock.instant())) {
      throw new IllegalArgumentException(
          "Cannot keep tag "
              + name
              + " of "
              + table
              + " for "
              + keep
              + ": its snapshot is of "
              + Instant.ofEpochMilli(snapshot.timestampMillis())
              + ", from when Iceberg counts (expected: a longer --keep)");
    }
  }

  /** The oldest ancestor of the head that claims the whole span; the one before it does not. */
  private Snapshot firstFinal(String name, long startMillis, long endMillis) {
    Snapshot first = null;
    Snapshot oldest = null;
    for (Iterator<Snapshot> snapshots = IcebergHistory.of(handle, branch).snapshots().iterator();
        snapshots.hasNext(); ) {
      oldest = snapshots.next();
      Opinion opinion = opinion(oldest);
      if (opinion != null && !opinion.watermark().covers(startMillis, endMillis)) {
        return found(name, first, oldest, true);
      }
      first = opinion == null ? first : oldest;
    }
    return found(name, first, oldest, oldest != null && oldest.parentId() == null);
  }

  /** Where older ancestors are gone, one of them may have been the first. */
  private Snapshot found(
      String name, @Nullable Snapshot first, @Nullable Snapshot oldest, boolean isWhole) {
    if (first == null || !isWhole) {
      throw new IllegalStateException(
          "Cannot tag "
              + name
              + " on "
              + table
              + ": the snapshot at which it became final has expired (the oldest that is kept is of "
              + (oldest == null
                  ? "none"
                  : Instant.ofEpochMilli(oldest.timestampMillis()).toString())
              + "). Tag sooner, or keep snapshots longer.");
    }
    return first;
  }

  private static @Nullable Opinion opinion(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null ? null : FinalizationProperties.readOpinion(summary).orElse(null);
  }
}

package dev.tidemark.spark.cutover;

import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.spark.table.MergeState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/** When a base table got the first rows of a ledger, by a dump or a merge. */
final class NewestLoad {
  private NewestLoad() {}

  /**
   * The time of the newest such commit, of whichever ledger; where those snapshots have expired, of
   * the oldest that is kept. The epoch if the table has no snapshot.
   */
  static Instant of(Table base) {
    List<Snapshot> oldestFirst =
        new ArrayList<>(IcebergHistory.of(base, SnapshotRef.MAIN_BRANCH).snapshots().toList());
    Collections.reverse(oldestFirst);
    long newest = oldestFirst.isEmpty() ? 0 : oldestFirst.get(0).timestampMillis();
    MergeState before = null;
    for (Snapshot snapshot : oldestFirst) {
      Map<String, String> summary = snapshot.summary();
      MergeState state = MergeState.read(summary == null ? Map.of() : summary);
      if (state != null) {
        newest = isLoad(before, state) ? Math.max(newest, snapshot.timestampMillis()) : newest;
        before = state;
      }
    }
    return Instant.ofEpochMilli(newest);
  }

  private static boolean isLoad(@Nullable MergeState before, MergeState state) {
    return before == null
        || state.ledgers().keySet().stream()
            .anyMatch(name -> state.of(name).isIn() && !before.of(name).isIn());
  }
}

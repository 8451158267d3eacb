package dev.tidemark.iceberg;

import dev.tidemark.finalization.commit.CommitHistory;
import dev.tidemark.finalization.commit.RecentCommit;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots on the ancestry of a branch head, newest first, read lazily from the metadata that
 * the table handle holds (it is not refreshed here). The stream ends at the first snapshot, or
 * where older ones were expired.
 */
public final class IcebergHistory implements CommitHistory {
  private final Table table;
  private final @Nullable Snapshot head;

  private IcebergHistory(Table table, @Nullable Snapshot head) {
    this.table = table;
    this.head = head;
  }

  /** The ancestry of a branch; empty if the branch does not exist or has no snapshot. */
  public static IcebergHistory of(Table table, String branch) {
    return new IcebergHistory(table, table.snapshot(branch));
  }

  /**
   * The ancestry that a commit to a branch will have: a branch that does not exist yet begins at
   * the head of main, which is where Iceberg lets its first commit begin.
   */
  public static IcebergHistory beneath(Table table, String branch) {
    boolean exists = table.refs().containsKey(branch);
    return new IcebergHistory(table, exists ? table.snapshot(branch) : table.currentSnapshot());
  }

  /** The ancestry of one snapshot, itself included. */
  public static IcebergHistory from(Table table, long snapshotId) {
    return new IcebergHistory(table, table.snapshot(snapshotId));
  }

  /** The newest snapshot; null if there is none. */
  public @Nullable Snapshot head() {
    return head;
  }

  /** The snapshots, newest first. */
  public Stream<Snapshot> snapshots() {
    return Stream.iterate(head, Objects::nonNull, this::parent).map(Objects::requireNonNull);
  }

  @Override
  public Stream<RecentCommit> newestFirst() {
    return snapshots()
        .map(
            snapshot ->
                new RecentCommit(
                    Long.toString(snapshot.snapshotId()),
                    snapshot.timestampMillis(),
                    summary(snapshot)));
  }

  static Map<String, String> summary(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null ? Map.of() : summary;
  }

  private @Nullable Snapshot parent(@Nullable Snapshot snapshot) {
    Long parent = snapshot == null ? null : snapshot.parentId();
    return parent == null ? null : table.snapshot(parent);
  }
}

package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.iceberg.IcebergHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/** Finds a commit by its id on the ancestry of a branch head. */
final class CommitSearch {
  /** Clocks of the machine that made the id and of the one that committed may differ by this. */
  private static final long CLOCK_SKEW_MILLIS = Duration.ofMinutes(10).toMillis();

  private final Table table;
  private final String branch;

  CommitSearch(Table table, String branch) {
    this.table = table;
    this.branch = branch;
  }

  /**
   * The snapshot that holds this commit.
   *
   * @throws IllegalStateException if it has rows, is not found, and snapshots younger than its id
   *     were expired: then nobody can tell, and committing again could duplicate its rows
   */
  OptionalLong find(TableCommit commit) {
    TableCommit.Identity identity = commit.identity();
    Snapshot oldest = null;
    Iterator<Snapshot> snapshots = IcebergHistory.of(table, branch).snapshots().iterator();
    while (snapshots.hasNext()) {
      Snapshot snapshot = snapshots.next();
      if (holds(snapshot, identity)) {
        return OptionalLong.of(snapshot.snapshotId());
      }
      if (snapshot.timestampMillis() < identity.createdAtMillis() - CLOCK_SKEW_MILLIS) {
        return OptionalLong.empty();
      }
      oldest = snapshot;
    }
    if (!commit.files().isEmpty()
        && oldest != null
        && oldest.parentId() != null
        && oldest.timestampMillis() > identity.createdAtMillis()) {
      throw cannotTell(identity, oldest);
    }
    return OptionalLong.empty();
  }

  private IllegalStateException cannotTell(TableCommit.Identity identity, Snapshot oldest) {
    return new IllegalStateException(
        "Cannot tell whether commit "
            + identity.id()
            + " of checkpoint "
            + identity.checkpointId()
            + " is in table "
            + table.name()
            + ": it was made at "
            + Instant.ofEpochMilli(identity.createdAtMillis())
            + ", but the oldest snapshot kept on branch "
            + branch
            + " is of "
            + Instant.ofEpochMilli(oldest.timestampMillis())
            + " (expected: history that reaches back to the commit). Committing again could duplicate"
            + " rows. Look for its files in the table; then restore from a later savepoint, or keep"
            + " snapshots longer than a job may be down.");
  }

  private static boolean holds(Snapshot snapshot, TableCommit.Identity identity) {
    Map<String, String> summary = snapshot.summary();
    return summary != null
        && identity.id().toString().equals(summary.get(FinalizationProperties.COMMIT_ID));
  }
}

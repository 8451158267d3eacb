package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.watermark.Outcome;
import org.jspecify.annotations.Nullable;

/** How an attempt to commit ended. */
public sealed interface CommitResult {

  /**
   * The table has a new snapshot.
   *
   * @param snapshotId the snapshot
   * @param outcome what finalization decided; null without finalization
   */
  record Committed(long snapshotId, @Nullable Outcome outcome) implements CommitResult {}

  /**
   * The same commit was found in the table.
   *
   * @param snapshotId the snapshot that holds it
   */
  record AlreadyCommitted(long snapshotId) implements CommitResult {}

  /**
   * Nothing to commit: no file, and no opinion worth a snapshot.
   *
   * @param outcome what finalization decided; null without finalization
   */
  record Skipped(@Nullable Outcome outcome) implements CommitResult {}
}

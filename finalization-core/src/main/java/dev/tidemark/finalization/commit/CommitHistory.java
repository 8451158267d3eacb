package dev.tidemark.finalization.commit;

import java.util.stream.Stream;

/** The commits of a table, newest first, along the ancestry of one head. */
@FunctionalInterface
public interface CommitHistory {
  /**
   * The commits, newest first, read lazily: taking three costs three, however long the history is.
   */
  Stream<RecentCommit> newestFirst();
}

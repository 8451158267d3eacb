package dev.tidemark.finalization.commit;

import java.io.Serializable;

/**
 * Hooks around a commit. Called on the committing thread, in the order in which processors were
 * added; a job graph carries the processor, so it opens what it needs lazily.
 *
 * @param <T> the store's live handle of the table
 */
public interface CommitProcessor<T> extends Serializable {
  /**
   * Before the commit, at each attempt: may add properties, or abort by throwing. An abort fails
   * the attempt, nothing is committed, and the same data is delivered again; after a bounded number
   * of aborts of one commit the job fails for good with the reason given.
   *
   * @throws CommitAbortedException to refuse the commit for now
   */
  default void preCommit(CommitContext<T> context) throws CommitAbortedException {}

  /**
   * After the commit is durable: at least once per commit, so it must be idempotent by {@link
   * CommitContext#commitId()}. An exception is logged and does not fail the job, since the commit
   * cannot be undone.
   */
  default void postCommit(CommitContext<T> context) {}
}

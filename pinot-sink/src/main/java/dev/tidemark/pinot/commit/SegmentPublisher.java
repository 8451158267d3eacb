package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitAbortedException;

/**
 * Publishes commits to one table, each exactly once by its id. Used by one thread. The only
 * implementation that talks to Pinot is {@code PinotTableCommitter}; tests of the operators bring a
 * double.
 */
public interface SegmentPublisher extends AutoCloseable {
  /**
   * Checks that the table can take the run's segments and heals what an earlier job left half done.
   *
   * @throws IllegalArgumentException if the table or the settings are refused, with the reason
   */
  void start();

  /**
   * Publishes one commit and returns once every replica serves it. Waits and retries by itself
   * within a bounded time; a commit that was published before changes nothing.
   *
   * @throws CommitAbortedException if a hook refused; nothing was published
   * @throws PublishFailedException if it cannot be published now; the same commit may be delivered
   *     again
   */
  PublishResult publish(PinotCommit commit) throws CommitAbortedException;

  /** How many requests were sent again so far; asked by a thread of metrics. */
  default long retries() {
    return 0;
  }

  @Override
  void close();
}

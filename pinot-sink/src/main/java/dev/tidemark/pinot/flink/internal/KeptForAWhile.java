package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.StagedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Staged files that outlive their commit for a while, so that a savepoint from before it can still
 * be restored after Pinot has lost or replaced what was published. What is waiting is known to this
 * process alone: what it has not removed when it ends stays. Used by one thread.
 */
final class KeptForAWhile implements StagedFiles {
  private final StagedFiles files;
  private final long graceMillis;
  private final Clock clock;
  private final Deque<Doomed> waiting = new ArrayDeque<>();

  /** A file that may go. */
  private record Doomed(String uri, long dueMillis) {}

  /**
   * @param grace from the removal asked for to the removal; zero to remove at once
   */
  KeptForAWhile(StagedFiles files, Duration grace, Clock clock) {
    this.files = files;
    this.graceMillis = grace.toMillis();
    this.clock = clock;
  }

  @Override
  public InputStream open(String uri) throws IOException {
    return files.open(uri);
  }

  /** Removes it after the grace period, when this is called the next time. */
  @Override
  public void delete(String uri) throws IOException {
    long now = clock.millis();
    waiting.add(new Doomed(uri, now + graceMillis));
    for (Doomed next = waiting.peek();
        next != null && next.dueMillis() <= now;
        next = waiting.peek()) {
      waiting.remove();
      files.delete(next.uri());
    }
  }
}

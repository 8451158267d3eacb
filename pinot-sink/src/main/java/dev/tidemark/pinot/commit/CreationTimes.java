package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.segment.Run;
import java.time.Duration;

/**
 * The creation time that a segment of a table with upsert is stamped with: where comparison values
 * are equal, Pinot lets the segment of the later creation time win, and equal creation times flip
 * at restarts. Free of a clock, so that a rebuild stamps the same.
 */
public final class CreationTimes {
  /** Ten years: earlier than any segment that the stream sealed or will seal. */
  private static final long BEFORE_ANY_STREAM = Duration.ofDays(3_653).toMillis();

  private static final int SEQUENCES_PER_EPOCH = 1_000_000;

  private CreationTimes() {}

  /**
   * The creation time, epoch milliseconds: different for each segment of one partition and run, and
   * later for a later one.
   *
   * @param sequence of the segment within its partition and restore epoch, from 0
   * @throws IllegalArgumentException if the sequence is negative or 1,000,000 and more
   */
  public static long creationTimeMillis(TieRule rule, Run run, long sequence) {
    if (sequence < 0 || sequence >= SEQUENCES_PER_EPOCH) {
      throw new IllegalArgumentException(
          "Invalid sequence: " + sequence + " (expected: 0 to " + (SEQUENCES_PER_EPOCH - 1) + ")");
    }
    long base =
        rule == TieRule.STREAM_WINS ? run.startMillis() - BEFORE_ANY_STREAM : run.startMillis();
    return base + (long) run.restoreEpoch() * SEQUENCES_PER_EPOCH + sequence;
  }
}

package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;
import java.time.Duration;

/**
 * Which checkpoints are commits: every n-th by its id. A writer hands over before the barrier, when
 * it does not know the id yet, so it expects the one after the last it saw. All writers expect the
 * same, unless a checkpoint was given up that only some of them saw; then the aggregator sees that
 * they disagree and waits for the next.
 *
 * @param everyCheckpoints at least 1
 */
public record CommitCadence(int everyCheckpoints) implements Serializable {
  private static final long serialVersionUID = 1L;

  public CommitCadence {
    if (everyCheckpoints < 1) {
      throw new IllegalArgumentException(
          "Invalid cadence: every " + everyCheckpoints + " checkpoints (expected: at least 1)");
    }
  }

  /** The cadence that comes closest to an interval, where checkpoints come at another. */
  public static CommitCadence of(Duration commits, Duration checkpoints) {
    if (checkpoints.isZero() || checkpoints.isNegative()) {
      return new CommitCadence(1);
    }
    long every = Math.round((double) commits.toMillis() / checkpoints.toMillis());
    return new CommitCadence((int) Math.max(1, Math.min(Integer.MAX_VALUE, every)));
  }

  /** Whether the checkpoint after this one is expected to be a commit. */
  boolean commitsAfter(long lastCheckpointId) {
    return (lastCheckpointId + 1) % everyCheckpoints == 0;
  }
}

package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.flink.internal.CommitCadence;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When rows become visible: at an interval or at every n-th checkpoint; one of the two is null.
 *
 * @param interval more than zero
 * @param checkpoints at least 1
 */
record CommitTiming(@Nullable Duration interval, @Nullable Integer checkpoints)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  static CommitTiming interval(Duration interval) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException(
          "Invalid commit interval: " + interval + " (expected: more than zero)");
    }
    return new CommitTiming(interval, null);
  }

  static CommitTiming checkpoints(int checkpoints) {
    new CommitCadence(checkpoints);
    return new CommitTiming(null, checkpoints);
  }

  /** The cadence in a job that takes checkpoints at this interval, in milliseconds. */
  CommitCadence cadence(long checkpointIntervalMillis) {
    return checkpoints != null
        ? new CommitCadence(checkpoints)
        : CommitCadence.of(
            Objects.requireNonNull(interval), Duration.ofMillis(checkpointIntervalMillis));
  }
}

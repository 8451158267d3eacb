package dev.tidemark.pinot.flink.internal;

import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * The checkpoint after the end of the input. A job that takes checkpoints, but not this one, ends
 * well with its last rows neither committed nor restored.
 */
public final class LastCheckpoint {
  private LastCheckpoint() {}

  /**
   * Called where the input has ended in a job that takes checkpoints.
   *
   * @throws SuppressRestartsException if there will be no last one
   */
  public static void requireIn(ReadableConfig job) {
    if (!job.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH)) {
      throw new SuppressRestartsException(refused());
    }
  }

  /** Why such a job is refused. */
  public static IllegalArgumentException refused() {
    return new IllegalArgumentException(
        "Cannot write a bounded stream to Pinot with "
            + CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH.key()
            + "=false: the rows since the last checkpoint would be lost at its end (expected: true,"
            + " the default)");
  }
}

package dev.tidemark.pinot.flink;

import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.WithBoundedness;

/** What is wrong with a job whose input ends, or never does, before it is submitted. */
final class BoundedInput {
  private BoundedInput() {}

  /**
   * Refuses a bounded stream whose job takes checkpoints, but none after tasks have finished: Flink
   * would end it with its last rows neither committed nor restored.
   */
  static void check(DataStream<?> input) {
    StreamExecutionEnvironment env = input.getExecutionEnvironment();
    ReadableConfig config = env.getConfiguration();
    boolean finalCheckpoint =
        config.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH);
    if (!finalCheckpoint
        && env.getCheckpointConfig().isCheckpointingEnabled()
        && config.get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.STREAMING
        && isBounded(input)) {
      throw refused();
    }
  }

  static IllegalArgumentException refused() {
    return new IllegalArgumentException(
        "Cannot write a bounded stream to Pinot with "
            + CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH.key()
            + "=false: the rows since the last checkpoint would be lost at its end (expected: true,"
            + " the default)");
  }

  static boolean isBounded(DataStream<?> input) {
    List<WithBoundedness> sources =
        input.getTransformation().getTransitivePredecessors().stream()
            .filter(WithBoundedness.class::isInstance)
            .map(WithBoundedness.class::cast)
            .toList();
    return !sources.isEmpty()
        && sources.stream().allMatch(s -> s.getBoundedness() == Boundedness.BOUNDED);
  }
}

package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.flink.internal.LastCheckpoint;
import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.InputFormatOperatorFactory;
import org.apache.flink.streaming.api.transformations.LegacySourceTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.streaming.api.transformations.WithBoundedness;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is wrong with a job whose input ends, or never does, before it is submitted. */
final class BoundedInput {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedInput.class);

  private BoundedInput() {}

  /**
   * Refuses what would lose rows without a word: a bounded stream whose job takes checkpoints, but
   * none after tasks have finished, which Flink would end with its last rows neither committed nor
   * restored; and an unbounded stream without checkpoints, of which nothing would ever be
   * published. Old sources cannot say whether they end, so for them there is a warning alone.
   */
  static void check(DataStream<?> input) {
    checkLastCheckpoint(input);
    checkCommitsEver(input);
  }

  private static void checkCommitsEver(DataStream<?> input) {
    if (input.getExecutionEnvironment().getCheckpointConfig().isCheckpointingEnabled()) {
      return;
    }
    for (Transformation<?> step : input.getTransformation().getTransitivePredecessors()) {
      if (isEndless(step, SourceTransformation.class)) {
        throw new IllegalArgumentException(
            "Cannot write the unbounded stream of source \""
                + step.getName()
                + "\" to Pinot without checkpoints: rows are published when a checkpoint is"
                + " complete, or at the end of the input, and neither would ever come (expected: "
                + CheckpointingOptions.CHECKPOINTING_INTERVAL.key()
                + " set, or a bounded source)");
      }
      if (isEndless(step, LegacySourceTransformation.class) && !readsFormat(step)) {
        LOG.warn(
            "Source \"{}\" does not say that it ends, and the job takes no checkpoints: rows are"
                + " published at the end of the input alone. Set {} if there is none.",
            step.getName(),
            CheckpointingOptions.CHECKPOINTING_INTERVAL.key());
      }
    }
  }

  /** An input format ends, though in STREAMING mode Flink does not say so: VALUES in SQL is one. */
  private static boolean readsFormat(Transformation<?> step) {
    return step instanceof LegacySourceTransformation<?> source
        && source.getOperatorFactory() instanceof InputFormatOperatorFactory;
  }

  private static boolean isEndless(Transformation<?> step, Class<?> kind) {
    return kind.isInstance(step)
        && step instanceof WithBoundedness source
        && source.getBoundedness() == Boundedness.CONTINUOUS_UNBOUNDED;
  }

  private static void checkLastCheckpoint(DataStream<?> input) {
    StreamExecutionEnvironment env = input.getExecutionEnvironment();
    ReadableConfig config = env.getConfiguration();
    boolean finalCheckpoint =
        config.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH);
    if (!finalCheckpoint
        && env.getCheckpointConfig().isCheckpointingEnabled()
        && config.get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.STREAMING
        && isBounded(input)) {
      throw LastCheckpoint.refused();
    }
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

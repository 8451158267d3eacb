package dev.tidemark.finalization.flink.sql;

import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.operators.InputFormatOperatorFactory;
import org.apache.flink.streaming.api.transformations.LegacySourceTransformation;
import org.apache.flink.streaming.api.transformations.WithBoundedness;
import org.apache.flink.table.api.ValidationException;

/** Whether what a statement reads ever ends. */
public final class BoundedInput {
  private BoundedInput() {}

  /**
   * Refuses to call an endless input complete: a drain would end it as if it were.
   *
   * @throws ValidationException if {@link FinalizationOptions#INPUT_IS_COMPLETE} is set and a
   *     source is unbounded
   */
  public static void check(FinalizationSettings settings, DataStream<?> rows) {
    boolean endless =
        rows.getTransformation().getTransitivePredecessors().stream()
            .anyMatch(BoundedInput::isEndless);
    if (settings.inputIsComplete() && endless) {
      throw new ValidationException(
          "Cannot declare an unbounded input complete: '%s' = 'true' (expected: every source bounded, since a drain would end the input too early). Leave the option out."
              .formatted(FinalizationOptions.INPUT_IS_COMPLETE.key()));
    }
  }

  /** VALUES reads an input format, which ends, though in STREAMING mode Flink does not say so. */
  private static boolean isEndless(Transformation<?> step) {
    boolean readsFormat =
        step instanceof LegacySourceTransformation<?> source
            && source.getOperatorFactory() instanceof InputFormatOperatorFactory;
    return step instanceof WithBoundedness source
        && source.getBoundedness() != Boundedness.BOUNDED
        && !readsFormat;
  }
}

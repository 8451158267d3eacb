package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import java.io.Serializable;

/**
 * What a writer needs to know beside where it runs.
 *
 * @param intake from a record to a row, or to a dead letter
 * @param segments from rows to staged segments
 * @param accumulators what is counted over the rows
 */
public record WriterPlan<T>(RowIntake<T> intake, SegmentPlan segments, Accumulators<T> accumulators)
    implements Serializable {
  private static final long serialVersionUID = 1L;
}

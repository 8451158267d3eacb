package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.pinot.segment.RejectedRowException;
import dev.tidemark.pinot.segment.SegmentRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The buffer of a segment to be, with the accumulators of exactly its rows. Used by the task's
 * thread until it is closed, then by a builder's.
 */
final class OpenSegment<T> {
  /** So many parts are merged into one, so that a buffer that lives long keeps a small state. */
  private static final int MOST_PARTS = 16;

  private final @Nullable Integer partition;
  private final long openedAt;
  private final SegmentRows rows;
  private final Accumulators<T> accumulators;
  private final AccumulatorSet<T> counting;
  private List<Map<String, byte[]>> drained;
  private boolean hasCounted;

  private OpenSegment(WriterState.OpenRows state, Accumulators<T> accumulators) {
    this.partition = state.partition();
    this.openedAt = state.openedAt();
    this.rows = state.rows();
    this.accumulators = accumulators;
    this.counting = accumulators.create();
    this.drained = new ArrayList<>(state.facts());
  }

  static <T> OpenSegment<T> empty(
      @Nullable Integer partition, long openedAt, SegmentRows rows, Accumulators<T> accumulators) {
    return restored(new WriterState.OpenRows(partition, openedAt, rows, List.of()), accumulators);
  }

  static <T> OpenSegment<T> restored(WriterState.OpenRows state, Accumulators<T> accumulators) {
    return new OpenSegment<>(state, accumulators);
  }

  /** Stores a row and counts the record that it came from; returns how many rows were stored. */
  int add(T record, RowIntake.Taken taken) throws RejectedRowException {
    int stored = rows.add(taken.row());
    if (stored > 0 && taken.isEvent()) {
      counting.add(record);
      hasCounted = true;
    }
    return stored;
  }

  @Nullable Integer partition() {
    return partition;
  }

  /** Milliseconds since the run began. */
  long openedAt() {
    return openedAt;
  }

  SegmentRows rows() {
    return rows;
  }

  /** What was counted so far, in a few parts. */
  List<Map<String, byte[]>> facts() {
    if (hasCounted && !accumulators.isEmpty()) {
      drained.add(counting.drain());
      hasCounted = false;
    }
    if (drained.size() > MOST_PARTS) {
      drained = new ArrayList<>(List.of(accumulators.merge(drained)));
    }
    return List.copyOf(drained);
  }

  WriterState.OpenRows state() {
    return new WriterState.OpenRows(partition, openedAt, rows, facts());
  }
}

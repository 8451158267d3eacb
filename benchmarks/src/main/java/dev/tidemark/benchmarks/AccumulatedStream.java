package dev.tidemark.benchmarks;

import dev.tidemark.finalization.eventtime.EventTimeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One writer's stream: adds every record, drains after every {@value #RECORDS_PER_DRAIN}, and
 * checks count, minimum, maximum and rows per granule of every drain against plain computation.
 *
 * @param <T> the record
 */
final class AccumulatedStream<T> implements CpuRounds.Case {
  /** Records between two checkpoints. */
  static final int RECORDS_PER_DRAIN = 100_000;

  private final List<T> records;
  private final long[] timesMillis;
  private final Consumer<T> add;
  private final Supplier<byte[]> drain;
  private final List<byte[]> drained = new ArrayList<>();

  /**
   * @param records what is written
   * @param timesMillis the event time of each
   * @param add adds one record to an accumulator
   * @param drain takes the bytes of that accumulator's event-time facts and resets it
   */
  AccumulatedStream(List<T> records, long[] timesMillis, Consumer<T> add, Supplier<byte[]> drain) {
    this.records = records;
    this.timesMillis = timesMillis;
    this.add = add;
    this.drain = drain;
  }

  @Override
  public void run() {
    drained.clear();
    int sinceDrain = 0;
    for (T record : records) {
      add.accept(record);
      if (++sinceDrain == RECORDS_PER_DRAIN) {
        drained.add(drain.get());
        sinceDrain = 0;
      }
    }
  }

  @Override
  public void verify() {
    if (drained.size() != records.size() / RECORDS_PER_DRAIN) {
      throw new IllegalStateException("Cannot find every drain: " + drained.size());
    }
    for (int i = 0; i < drained.size(); i++) {
      verify(new EventTimeFacts.Codec().decode(drained.get(i)), i * RECORDS_PER_DRAIN);
    }
  }

  private void verify(EventTimeFacts facts, int first) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int i = first; i < first + RECORDS_PER_DRAIN; i++) {
      min = Math.min(min, timesMillis[i]);
      max = Math.max(max, timesMillis[i]);
    }
    if (facts.times().count() != RECORDS_PER_DRAIN
        || facts.granules().total() != RECORDS_PER_DRAIN
        || facts.times().minMillis() != min
        || facts.times().maxMillis() != max) {
      throw new IllegalStateException(
          "Wrong facts of the drain from record "
              + first
              + ": "
              + facts
              + " (expected: "
              + RECORDS_PER_DRAIN
              + " in ["
              + min
              + ", "
              + max
              + "])");
    }
  }
}

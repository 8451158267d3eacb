package dev.tidemark.benchmarks;

import dev.tidemark.finalization.accumulator.Accumulator;
import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One writer's stream: adds every record, drains after every {@value #RECORDS_PER_DRAIN}, and
 * checks count, minimum, maximum and rows per granule of every drain against plain computation.
 *
 * @param <T> the record
 */
abstract class AccumulatedStream<T> implements CpuRounds.Case {
  /** Records between two checkpoints. */
  static final int RECORDS_PER_DRAIN = 100_000;

  private final T[] records;
  private final long[] timesMillis;
  private final List<byte[]> drained = new ArrayList<>();

  private AccumulatedStream(T[] records, long[] timesMillis) {
    this.records = records;
    this.timesMillis = timesMillis;
  }

  /**
   * Through an event-time accumulator alone.
   *
   * @param timesMillis the event time of each record
   */
  static <T> AccumulatedStream<T> alone(
      T[] records, long[] timesMillis, AccumulatorFactory<T, EventTimeFacts> factory) {
    Accumulator<T, EventTimeFacts> accumulator = factory.create();
    return new AccumulatedStream<>(records, timesMillis) {
      @Override
      void add(T[] records, int from, int to) {
        for (int i = from; i < to; i++) {
          accumulator.add(records[i]);
        }
      }

      @Override
      byte[] drain() {
        byte[] bytes = factory.codec().encode(accumulator.snapshot());
        accumulator.reset();
        return bytes;
      }
    };
  }

  /**
   * Through a set that holds an event-time accumulator.
   *
   * @param timesMillis the event time of each record
   */
  static <T> AccumulatedStream<T> inSet(T[] records, long[] timesMillis, AccumulatorSet<T> set) {
    return new AccumulatedStream<>(records, timesMillis) {
      @Override
      void add(T[] records, int from, int to) {
        for (int i = from; i < to; i++) {
          set.add(records[i]);
        }
      }

      @Override
      byte[] drain() {
        return Objects.requireNonNull(set.drain().get(EventTimeAccumulatorFactory.NAME));
      }
    };
  }

  /** Adds the records from one index (inclusive) to another (exclusive). */
  abstract void add(T[] records, int from, int to);

  /** Takes the bytes of the event-time facts and resets them. */
  abstract byte[] drain();

  @Override
  public void run() {
    drained.clear();
    for (int from = 0; from < records.length; from += RECORDS_PER_DRAIN) {
      add(records, from, from + RECORDS_PER_DRAIN);
      drained.add(drain());
    }
  }

  @Override
  public void verify() {
    for (int i = 0; i < drained.size(); i++) {
      int from = i * RECORDS_PER_DRAIN;
      Totals.of(timesMillis, from, from + RECORDS_PER_DRAIN)
          .verify(new EventTimeFacts.Codec().decode(drained.get(i)));
    }
  }
}

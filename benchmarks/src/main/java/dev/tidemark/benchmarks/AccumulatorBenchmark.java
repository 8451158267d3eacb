package dev.tidemark.benchmarks;

import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.granule.Granularity;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What event-time facts cost a writer per record: extractor, {@code add}, and a drain per 100,000
 * records. Four extractor classes over two record classes take turns, so that no call of an
 * extractor is bound to one class as it would be in a JVM with one sink.
 */
final class AccumulatorBenchmark implements Benchmark {
  private static final int RECORDS = 10 * AccumulatedStream.RECORDS_PER_DRAIN;
  private static final int WARM_UP_ROUNDS = 12;
  private static final int ROUNDS = 40;
  private static final String CLAIM = "an hour, lag of minutes";

  @Override
  public String summary() {
    return "CPU time of the event-time accumulator per record, drains included";
  }

  @Override
  public Target target() {
    return Target.atMost(25, "ns/record");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) {
    CpuRounds rounds = CpuRounds.of(WARM_UP_ROUNDS, ROUNDS, arguments);
    out.printf(
        "Nanoseconds of CPU per record; rounds of %,d records, a drain every %,d; count, min, max"
            + " and rows per hour are checked at every drain.%n",
        RECORDS, AccumulatedStream.RECORDS_PER_DRAIN);
    Map<String, Spread> spreads = rounds.measure(cases(), RECORDS);
    spreads.forEach((name, spread) -> out.printf("  %-34s %s%n", name, spread));
    return Figure.of(Objects.requireNonNull(spreads.get(CLAIM)).median());
  }

  private static Map<String, CpuRounds.Case> cases() {
    long[] hour = EventTimes.of(EventTimes::logNormalLag, RECORDS, 1);
    long[] flights = EventTimes.flights(RECORDS, 2);
    long[] day = EventTimes.of(EventTimes::uniformDay, RECORDS, 3);
    EventTimeExtractor<Trip> number =
        EventTimeExtractor.ofNumber(Trip::departureMicros, EventTimeUnit.MICROS);
    Trip[] hourOfTrips = Trip.allAt(hour);
    Map<String, CpuRounds.Case> cases = new LinkedHashMap<>();
    cases.put(CLAIM, alone(hourOfTrips, hour, new Trip.NullableColumn()));
    cases.put("the same, number column", alone(hourOfTrips, hour, number));
    cases.put("the same, change records", alone(hourOfTrips, hour, new Trip.ChangeRecord()));
    cases.put(
        "the same, rows of objects", alone(GenericRow.allAt(hour), hour, new GenericRow.Column(1)));
    cases.put("the same, in a set of two", AccumulatedStream.inSet(hourOfTrips, hour, setOfTwo()));
    cases.put(
        "flights as they leave", alone(Trip.allAt(flights), flights, new Trip.NullableColumn()));
    cases.put(
        "uniformly random over a day", alone(Trip.allAt(day), day, new Trip.NullableColumn()));
    return cases;
  }

  private static <T> CpuRounds.Case alone(
      T[] records, long[] times, EventTimeExtractor<T> extractor) {
    return AccumulatedStream.alone(records, times, factory(extractor));
  }

  private static AccumulatorSet<Trip> setOfTwo() {
    return new Accumulators<>(
            List.of(
                factory(new Trip.NullableColumn()),
                new LongRangeAccumulatorFactory<Trip>("distance", t -> (long) t.distance())))
        .create();
  }

  private static <T> EventTimeAccumulatorFactory<T> factory(EventTimeExtractor<T> extractor) {
    return new EventTimeAccumulatorFactory<>(
        extractor, Granularity.HOUR, EventTimeBounds.DEFAULT, () -> EventTimes.CLOCK);
  }
}

package dev.tidemark.benchmarks;

import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.granule.Granularity;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * What the one committer pays per commit for the facts of 512 writers: decode, merge, encode, and
 * write the properties.
 */
final class MergeBenchmark implements Benchmark {
  private static final int SUBTASKS = 512;
  private static final int MIN_RECORDS = 20_000;
  private static final int MAX_RECORDS = 200_000;
  private static final int WARM_UP_ROUNDS = 100;
  private static final int ROUNDS = 200;
  private static final String CLAIM = "event time";

  @Override
  public String summary() {
    return "CPU time to merge the facts of 512 writers into one commit's";
  }

  @Override
  public Target target() {
    return Target.atMost(10, "ms/commit");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) {
    CpuRounds rounds = CpuRounds.of(WARM_UP_ROUNDS, ROUNDS, arguments);
    out.printf(
        "Milliseconds of CPU to merge %d writers of %,d to %,d records each; count, min, max and"
            + " rows are checked in every round.%n",
        SUBTASKS, MIN_RECORDS, MAX_RECORDS);
    Map<String, Spread> spreads = rounds.measure(cases(), 1e6);
    spreads.forEach((name, spread) -> out.printf("  %-34s %s%n", name, spread));
    return Figure.of(Objects.requireNonNull(spreads.get(CLAIM)).median());
  }

  private static Map<String, CpuRounds.Case> cases() {
    Accumulators<Trip> one = new Accumulators<>(List.of(eventTime()));
    Accumulators<Trip> two =
        new Accumulators<>(
            List.of(
                eventTime(),
                new LongRangeAccumulatorFactory<Trip>("distance", t -> (long) t.distance())));
    Map<String, CpuRounds.Case> cases = new LinkedHashMap<>();
    cases.put(CLAIM, commit(one, EventTimes::logNormalLag));
    cases.put("event time that lags by months", commit(one, EventTimes::paretoLag));
    cases.put("event time and a range", commit(two, EventTimes::logNormalLag));
    return cases;
  }

  private static EventTimeAccumulatorFactory<Trip> eventTime() {
    return new EventTimeAccumulatorFactory<>(
        new Trip.NullableColumn(),
        Granularity.HOUR,
        EventTimeBounds.DEFAULT,
        () -> EventTimes.CLOCK);
  }

  private static CpuRounds.Case commit(Accumulators<Trip> accumulators, EventTimes.Source source) {
    SplittableRandom random = new SplittableRandom(SUBTASKS);
    List<Map<String, byte[]>> drained = new ArrayList<>();
    Totals totals = new Totals();
    AccumulatorSet<Trip> writer = accumulators.create();
    for (int subtask = 0; subtask < SUBTASKS; subtask++) {
      long[] times = EventTimes.of(source, random.nextInt(MIN_RECORDS, MAX_RECORDS), subtask);
      for (Trip trip : Trip.allAt(times)) {
        writer.add(trip);
      }
      totals.add(times);
      drained.add(writer.drain());
    }
    return new MergedCommit<>(accumulators, drained, totals);
  }
}

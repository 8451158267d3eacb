package dev.tidemark.finalization.eventtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.testing.Flights;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Rows below a granule boundary, against the rows themselves. */
class RowsBelowTest {
  private static final long NOON = Instant.parse("2026-01-01T12:00:00Z").toEpochMilli();
  private static final Granularity SLICES = Granularity.of(Duration.ofMinutes(5));

  @Test
  void endsAreExact() {
    EventTimeSketch sketch = EventTimeSketch.of(NOON, NOON + 1, NOON + 5);
    assertThat(sketch.rowsBelow(NOON)).isEqualTo(RowsBelow.NONE);
    assertThat(sketch.rowsBelow(NOON + 6)).isEqualTo(RowsBelow.exactly(3));
    assertThat(EventTimeSketch.empty().rowsBelow(NOON)).isEqualTo(RowsBelow.NONE);
  }

  @Test
  void fewRowsAreNearlyExact() {
    long[] times = new long[20];
    Arrays.setAll(times, i -> NOON + i * 60_000L);
    RowsBelow below = EventTimeSketch.of(times).rowsBelow(NOON + 10 * 60_000L);
    assertThat(below.estimate()).isEqualTo(10);
    assertThat(below.least()).isBetween(8L, 10L);
    assertThat(below.most()).isBetween(10L, 12L);
  }

  @Test
  void flightsAreWithinTheBounds() {
    assertTruthWithin(
        "flights", Flights.byLanding().stream().mapToLong(f -> f.departureMillis()).toArray());
  }

  @Test
  void lognormalLagIsWithinTheBounds() {
    Random random = Seeds.random("RowsBelow lognormal");
    for (int rows : new int[] {50, 1_000, 20_000, 300_000}) {
      assertTruthWithin(
          "lognormal of " + rows,
          times(rows, () -> NOON - (long) (120_000 * Math.exp(1.2 * random.nextGaussian()))));
    }
  }

  @Test
  void paretoLagIsWithinTheBounds() {
    Random random = Seeds.random("RowsBelow Pareto");
    for (int rows : new int[] {50, 1_000, 20_000, 300_000}) {
      assertTruthWithin(
          "Pareto of " + rows,
          times(rows, () -> NOON - (long) (30_000 * Math.pow(1 - random.nextDouble(), -1 / 1.1))));
    }
  }

  @Test
  void farClustersAreWithinTheBounds() {
    Random random = Seeds.random("RowsBelow clusters");
    assertTruthWithin(
        "two far clusters",
        times(
            100_000,
            () ->
                NOON
                    - (random.nextInt(100) == 0 ? 3L * 86_400_000 : 0)
                    - random.nextInt(3_600_000)));
  }

  private static void assertTruthWithin(String what, long[] times) {
    List<EventTimeSketch> sketches =
        List.of(merged(times, 1), merged(times, 8), merged(times, 64), text(times, 8));
    Arrays.sort(times);
    long highest = times[times.length - 1];
    for (long at = SLICES.floor(highest); at > highest - 86_400_000; at = SLICES.previous(at)) {
      long truth = countBelow(times, at);
      for (EventTimeSketch sketch : sketches) {
        RowsBelow below = sketch.rowsBelow(at);
        assertThat(truth)
            .as("%s below %s: %s", what, Instant.ofEpochMilli(at), below)
            .isBetween(below.least(), below.most());
      }
    }
  }

  private static EventTimeSketch text(long[] times, int writers) {
    return EventTimeSketch.fromText(merged(times, writers).toText());
  }

  private static EventTimeSketch merged(long[] times, int writers) {
    List<EventTimeAccumulator<Long>> accumulators = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      accumulators.add(
          new EventTimeAccumulator<>(
              time -> time,
              SLICES,
              EventTimeBounds.DEFAULT,
              Clock.fixed(Instant.ofEpochMilli(NOON), ZoneOffset.UTC)));
    }
    for (int i = 0; i < times.length; i++) {
      accumulators.get(i % writers).add(times[i]);
    }
    return EventTimeFacts.merge(accumulators.stream().map(EventTimeAccumulator::snapshot).toList())
        .times();
  }

  private static long countBelow(long[] sorted, long time) {
    int at = Arrays.binarySearch(sorted, time);
    while (at > 0 && sorted[at - 1] == time) {
      at--;
    }
    return at >= 0 ? at : -at - 1;
  }

  private static long[] times(int count, LongSupplier time) {
    long[] times = new long[count];
    Arrays.setAll(times, i -> time.getAsLong());
    return times;
  }
}

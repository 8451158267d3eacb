package dev.tidemark.finalization.eventtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.testing.Flights;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/**
 * The error of quantiles against the exact ones, as rank error: how far the share of records below
 * the estimate is from the quantile asked for. Buckets are 100 ms wide, so a record counts as below
 * or above only where it is further away than a bucket.
 */
class QuantileErrorTest {
  private static final long NOON = Instant.parse("2026-01-01T12:00:00Z").toEpochMilli();
  private static final double[] QUANTILES = {0.001, 0.005, 0.01, 0.05, 0.5, 0.95, 0.99};
  private static final long BUCKET = 100;

  @Test
  void realFlightsStayWithinTheBound() {
    assertWithinBound(
        "flights", Flights.byLanding().stream().mapToLong(f -> f.departureMillis()).toArray());
  }

  @Test
  void lognormalLagStaysWithinTheBound() {
    Random random = Seeds.random("QuantileError lognormal");
    assertWithinBound(
        "lognormal",
        times(1_000_000, () -> NOON - (long) (20_000 * Math.exp(1.2 * random.nextGaussian()))));
  }

  @Test
  void paretoLagStaysWithinTheBound() {
    Random random = Seeds.random("QuantileError Pareto");
    assertWithinBound(
        "Pareto",
        times(
            1_000_000, () -> NOON - (long) (1_000 * Math.pow(1 - random.nextDouble(), -1 / 1.1))));
  }

  @Test
  void twoFarClustersStayWithinTheBound() {
    Random random = Seeds.random("QuantileError clusters");
    assertWithinBound(
        "two far clusters",
        times(
            200_000,
            () ->
                NOON
                    - (random.nextInt(100) == 0 ? 20L * 365 * 86_400_000 : 0)
                    - random.nextInt(60_000)));
  }

  @Test
  void equalTimesAreExact() {
    EventTimeSketch sketch = merged(times(10_000, () -> NOON), 8);
    for (double q : QUANTILES) {
      assertThat(sketch.quantileMillis(q)).isEqualTo(NOON);
    }
  }

  @Test
  void fewRecordsAreExactToARecord() {
    for (int count = 1; count <= 20; count++) {
      long[] times = new long[count];
      for (int i = 0; i < count; i++) {
        times[i] = NOON + i * 60_000L;
      }
      EventTimeSketch sketch = EventTimeSketch.of(times);
      for (double q : QUANTILES) {
        assertThat(rankError(times, sketch.quantileMillis(q), q)).isLessThan(1.0 / count);
      }
      assertThat(sketch.quantileMillis(0)).isEqualTo(times[0]);
      assertThat(sketch.quantileMillis(1)).isEqualTo(times[count - 1]);
    }
  }

  @Test
  void quantilesAscendAndStayInside() {
    Random random = Seeds.random("QuantileError ascending");
    for (int round = 0; round < 200; round++) {
      EventTimeSketch sketch =
          EventTimeSketch.of(
              times(
                  1 + random.nextInt(300), () -> NOON - random.nextInt(1 + random.nextInt(9_999))));
      long previous = sketch.minMillis();
      for (int q = 0; q <= 100; q++) {
        long time = sketch.quantileMillis(q / 100.0);
        assertThat(time).isBetween(previous, sketch.maxMillis());
        previous = time;
      }
    }
  }

  /** What the Javadoc of {@link EventTimeSketch} states, for a merged sketch. */
  private static double bound(double q) {
    return 0.0003 + 0.06 * q * (1 - q);
  }

  private static void assertWithinBound(String what, long[] times) {
    EventTimeSketch one = merged(times, 1);
    EventTimeSketch eight = merged(times, 8);
    EventTimeSketch text = EventTimeSketch.fromText(eight.toText());
    Arrays.sort(times);
    for (double q : QUANTILES) {
      double ofOne = rankError(times, one.quantileMillis(q), q);
      double ofEight = rankError(times, eight.quantileMillis(q), q);
      double ofText = rankError(times, text.quantileMillis(q), q);
      System.out.printf(
          Locale.ROOT,
          "%s q=%s rank error: 1 part %.6f, 8 parts %.6f, text %.6f%n",
          what,
          q,
          ofOne,
          ofEight,
          ofText);
      assertThat(ofOne).as("%s, one part, q = %s", what, q).isLessThan(bound(q));
      assertThat(ofEight).as("%s, eight parts, q = %s", what, q).isLessThan(bound(q));
      assertThat(ofText).as("%s, as text, q = %s", what, q).isLessThan(4 * bound(q));
    }
  }

  /** The distance of q from the shares that lie surely below, and not surely above, an estimate. */
  private static double rankError(long[] sorted, long estimate, double q) {
    double below = (double) countBelow(sorted, estimate - BUCKET) / sorted.length;
    double notAbove = (double) countBelow(sorted, estimate + BUCKET + 1) / sorted.length;
    return q < below ? below - q : q > notAbove ? q - notAbove : 0;
  }

  private static int countBelow(long[] sorted, long time) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static EventTimeSketch merged(long[] times, int writers) {
    List<EventTimeAccumulator<Long>> accumulators = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      accumulators.add(
          new EventTimeAccumulator<>(
              time -> time,
              Granularity.HOUR,
              EventTimeBounds.DEFAULT,
              Clock.fixed(Instant.ofEpochMilli(NOON), ZoneOffset.UTC)));
    }
    for (int i = 0; i < times.length; i++) {
      accumulators.get(i % writers).add(times[i]);
    }
    List<EventTimeFacts> parts =
        new ArrayList<>(accumulators.stream().map(EventTimeAccumulator::snapshot).toList());
    return writers == 1 ? parts.get(0).times() : EventTimeFacts.merge(parts).times();
  }

  private static long[] times(int count, LongSupplier time) {
    long[] times = new long[count];
    Arrays.setAll(times, i -> time.getAsLong());
    return times;
  }
}

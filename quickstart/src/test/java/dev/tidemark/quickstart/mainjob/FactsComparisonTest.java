package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FactsComparisonTest {
  private static final long NOON = 979_128_000_000L;
  private static final long HOUR = 3_600_000;

  private final NavigableMap<Long, EventTimeFacts> often = new TreeMap<>();
  private final NavigableMap<Long, EventTimeFacts> seldom = new TreeMap<>();

  @Test
  void commitsThatBothHaveReachedAreComparedAndTheRestWaits() {
    often.put(1L, facts(NOON, NOON + 1));
    often.put(3L, facts(NOON + HOUR));
    often.put(5L, facts(NOON + 2));
    seldom.put(4L, facts(NOON, NOON + 1, NOON + HOUR));
    seldom.put(8L, facts(NOON + 2, NOON + 3));

    FactsComparison comparison = FactsComparison.of(often, seldom);
    assertThat(comparison.agrees()).isTrue();
    assertThat(comparison.commits()).isEqualTo(1);
    assertThat(comparison.rows()).isEqualTo(3);
  }

  @Test
  void aRowInTheWrongHourIsSeen() {
    often.put(1L, facts(NOON, NOON + 1, NOON + HOUR));
    seldom.put(1L, facts(NOON, NOON + HOUR, NOON + HOUR));

    assertThat(FactsComparison.of(often, seldom).differences())
        .singleElement()
        .asString()
        .startsWith("checkpoints 1 to 1: Pinot ");
  }

  @Test
  void aRowThatIsMissingIsSeen() {
    often.put(1L, facts(NOON, NOON + 1));
    seldom.put(1L, facts(NOON));

    assertThat(FactsComparison.of(often, seldom).agrees()).isFalse();
  }

  @Test
  void otherTimesInTheSameHourAreSeenInTheQuantiles() {
    often.put(1L, facts(spread(NOON, 1)));
    seldom.put(1L, facts(spread(NOON, 2)));

    assertThat(FactsComparison.of(often, seldom).agrees()).isFalse();
  }

  /** A thousand times of one hour, both ends among them, close to its start the more so. */
  private static long[] spread(long start, int power) {
    long[] times = new long[1000];
    for (int i = 0; i < times.length; i++) {
      times[i] = start + (long) (Math.pow(i / 999.0, power) * (HOUR - 1));
    }
    return times;
  }

  private static EventTimeFacts facts(long... times) {
    SortedMap<Long, Long> hours = new TreeMap<>();
    for (long time : times) {
      hours.merge(Granularity.HOUR.floor(time), 1L, Long::sum);
    }
    return new EventTimeFacts(EventTimeSketch.of(times), SetAside.NONE, GranuleCounts.of(hours));
  }
}

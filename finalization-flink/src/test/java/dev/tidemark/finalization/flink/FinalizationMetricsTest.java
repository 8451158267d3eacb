package dev.tidemark.finalization.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.watermark.Decision;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FinalizationMetricsTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private static final Decision STAY = new Decision.Stay(Hold.of(Hold.Reason.NO_DATA));

  private final Registered group = new Registered();
  private final FinalizationMetrics metrics =
      new FinalizationMetrics(group, Clock.fixed(NOON.plusSeconds(90), ZoneOffset.UTC));

  /** What was registered. */
  private static final class Registered extends UnregisteredMetricsGroup {
    private final Map<String, Gauge<?>> gauges = new LinkedHashMap<>();
    private final Map<String, Counter> counters = new LinkedHashMap<>();

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      assertThat(gauges.put(name, gauge)).as(name).isNull();
      return gauge;
    }

    @Override
    public Counter counter(String name) {
      Counter counter = new SimpleCounter();
      assertThat(counters.put(name, counter)).as(name).isNull();
      return counter;
    }

    Object gauge(String name) {
      return Objects.requireNonNull(gauges.get(name), name).getValue();
    }

    long count(String name) {
      return Objects.requireNonNull(counters.get(name), name).getCount();
    }
  }

  private static Outcome outcome(@Nullable Instant watermark, long lateRows) {
    Map<String, String> properties = new TreeMap<>();
    properties.put(FinalizationProperties.POLICY, "min;1;PT0S;PT1H");
    if (watermark != null) {
      properties.put(FinalizationProperties.WATERMARK_MS, Long.toString(watermark.toEpochMilli()));
    }
    Opinion opinion = FinalizationProperties.readOpinion(properties).orElseThrow();
    List<LateDataReport> late =
        lateRows == 0
            ? List.of()
            : List.of(
                new LateDataReport(
                    NOON.toEpochMilli(),
                    GranuleCounts.of(new TreeMap<>(Map.of(0L, lateRows))),
                    LateDataReport.Cause.STREAM));
    return new Outcome(opinion, STAY, late, null, true);
  }

  @Test
  void lagIsThatOfTheNewestCommit() {
    metrics.committed(outcome(NOON.minusSeconds(3_600), 0));
    metrics.committed(outcome(NOON, 0));
    assertThat(group.gauge("finalizationWatermarkMs")).isEqualTo(NOON.toEpochMilli());
    assertThat(group.gauge("finalizationWatermarkLagMs")).isEqualTo(90_000L);
  }

  @Test
  void withoutAWatermarkThereIsNoLag() {
    metrics.committed(outcome(null, 0));
    assertThat(group.gauges).isEmpty();
    assertThat(group.count("finalizationLateRows")).isZero();
  }

  @Test
  void lateRowsAreCountedOverAllCommits() {
    metrics.committed(outcome(NOON, 3));
    metrics.committed(outcome(NOON, 0));
    metrics.committed(outcome(NOON, 4));
    assertThat(group.count("finalizationLateRows")).isEqualTo(7);
  }

  @Test
  void withoutFinalizationNothingIsReported() {
    metrics.committed(null);
    assertThat(group.gauges).isEmpty();
    assertThat(group.counters).isEmpty();
  }
}

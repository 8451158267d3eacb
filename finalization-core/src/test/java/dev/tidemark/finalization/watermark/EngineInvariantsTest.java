package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What must hold after every commit of any history. */
class EngineInvariantsTest {
  private static final int HISTORIES = 12;
  private static final int COMMITS = 120;

  @ParameterizedTest
  @CsvSource({
    "min,                    1, PT0S,  PT1H",
    "min,                    6, PT30M, PT1H",
    "quantile:0.05,          3, PT0S,  PT1H",
    "bounded-lateness:PT10M, 3, PT10M, PT15M",
    "min,                    2, PT0S,  P1D@America/Los_Angeles",
    "quantile:0.01,          2, PT0S,  PT1M",
  })
  void theWatermarkAscendsOnBoundariesBelowTheCommitTimeAndLateRowsAreExact(
      String policy, int lookback, String span, String granularityText) {
    Random random = Seeds.random("EngineInvariants " + policy + granularityText);
    Granularity granularity = Granularity.parse(granularityText);
    int advances = 0;
    long late = 0;
    for (int history = 0; history < HISTORIES; history++) {
      EngineHarness table = EngineHarness.at("2026-03-07T09:00:00Z");
      List<EngineHarness.Writer> writers = new ArrayList<>();
      for (String name : List.of("A", "B").subList(0, 1 + history % 2)) {
        writers.add(
            table.writer(
                FinalizationConfig.forWriter(name)
                    .policy(FinalizationPolicy.parse(policy))
                    .lookback(lookback, Duration.parse(span))
                    .granularity(granularity)
                    .readFromBeginning()
                    .build()));
      }
      for (int commit = 0; commit < COMMITS; commit++) {
        table.at(table.clock.instant().plusMillis(random.nextInt(2_400_000)));
        if (random.nextInt(10) == 0) {
          table.foreignCommit();
        }
        Opinion truth = table.truth();
        Long before = truth == null ? null : truth.watermarkMillis();
        long now = table.clock.millis();
        long[] times = times(random, now);
        Outcome outcome =
            writers.get(random.nextInt(writers.size())).withMillis(times).commit().outcome();

        Long after = outcome.opinion().watermarkMillis();
        if (after != null) {
          assertThat(after).isLessThanOrEqualTo(now).isEqualTo(granularity.floor(after));
          assertThat(after).isGreaterThanOrEqualTo(before == null ? Long.MIN_VALUE : before);
        } else {
          assertThat(before).isNull();
        }
        boolean moved = after != null && !after.equals(before);
        assertThat(outcome.decision() instanceof Decision.Advance).isEqualTo(moved);
        assertThat(outcome.opinion().hold() == null).isEqualTo(moved);
        assertThat(lateRows(outcome)).isEqualTo(bruteForce(times, before, granularity));
        advances += moved ? 1 : 0;
        late += outcome.late().size();
      }
    }
    assertThat(advances).isGreaterThan(HISTORIES);
    assertThat(late).isPositive();
  }

  private static long[] times(Random random, long now) {
    long[] times = new long[random.nextInt(12)];
    for (int i = 0; i < times.length; i++) {
      long lag = (long) (60_000 * Math.exp(1.5 * random.nextGaussian()));
      times[i] = now - (random.nextInt(60) == 0 ? lag * 300 : lag);
    }
    return times;
  }

  private static TreeMap<Long, Long> lateRows(Outcome outcome) {
    TreeMap<Long, Long> rows = new TreeMap<>();
    for (LateDataReport report : outcome.late()) {
      assertThat(report.cause()).isEqualTo(LateDataReport.Cause.STREAM);
      rows.putAll(report.rows().asMap());
    }
    return rows;
  }

  private static TreeMap<Long, Long> bruteForce(
      long[] times, @Nullable Long watermark, Granularity granularity) {
    TreeMap<Long, Long> late = new TreeMap<>();
    for (long time : times) {
      if (watermark != null && time < watermark) {
        late.merge(granularity.floor(time), 1L, Long::sum);
      }
    }
    return late;
  }

  @ParameterizedTest
  @CsvSource({"1", "3"})
  void theSameSituationAlwaysGivesTheSameOutcome(int lookback) {
    Random random = Seeds.random("EngineInvariants replay");
    EngineHarness table = EngineHarness.at(Instant.parse("2026-01-01T00:00:00Z").toString());
    FinalizationConfig config =
        FinalizationConfig.forWriter("orders").lookback(lookback, Duration.ZERO).build();
    for (int commit = 0; commit < 200; commit++) {
      table.after("PT7M");
      EngineHarness.Draft draft =
          table.writer(config).withMillis(times(random, table.clock.millis()));
      assertThat(draft.decide()).isEqualTo(draft.decide());
      assertThat(FinalizationProperties.write(draft.decide()))
          .isEqualTo(FinalizationProperties.write(draft.commit().outcome()));
    }
  }
}

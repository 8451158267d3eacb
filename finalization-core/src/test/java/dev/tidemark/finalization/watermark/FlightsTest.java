package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.testing.Flights;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Case 21: real flights, computed independently, to the last figure. */
class FlightsTest {
  private static final Instant REPLAYED_AT = Instant.parse("2026-01-01T00:00:00Z");

  private record Replay(int commits, int advances, TreeMap<Long, Long> late, EngineHarness table) {}

  @ParameterizedTest
  @CsvSource({
    " 1, 551, 45, 2001-01-11T23:00:00Z",
    " 3, 201, 39, 2001-01-11T23:00:00Z",
    " 6,  47, 37, 2001-01-11T21:00:00Z",
    "12,  17, 34, 2001-01-11T21:00:00Z",
  })
  void everyFigureIsTheOneComputedIndependently(
      int lookback, long late, int advances, String watermark) {
    Replay replay = replay(lookback);

    assertThat(replay.commits()).isEqualTo(590);
    assertThat(replay.late().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(late);
    assertThat(replay.advances()).isEqualTo(advances);
    assertThat(replay.table().watermark()).isEqualTo(watermark);
  }

  @Test
  void theHoursWithMostLateRowsAreThoseComputedIndependently() {
    List<Map.Entry<Long, Long>> worst =
        replay(6).late().entrySet().stream()
            .sorted(Map.Entry.<Long, Long>comparingByValue(Comparator.reverseOrder()))
            .limit(2)
            .toList();

    assertThat(worst)
        .containsExactly(
            Map.entry(Instant.parse("2001-01-10T16:00:00Z").toEpochMilli(), 7L),
            Map.entry(Instant.parse("2001-01-10T08:00:00Z").toEpochMilli(), 5L));
  }

  /** The replay commits in 2026, so the commit time never bounds the watermark. */
  private static Replay replay(int lookback) {
    EngineHarness table = EngineHarness.at(REPLAYED_AT.toString());
    EngineHarness.Writer writer =
        table.writer(
            FinalizationConfig.forWriter("flights")
                .lookback(lookback, Duration.ZERO)
                .readFromBeginning()
                .build());
    TreeMap<Long, Long> late = new TreeMap<>();
    int advances = 0;
    for (Flights.Landed landed : Flights.landings(table.clock)) {
      table.after("PT5M");
      Outcome outcome = writer.facts(landed.facts()).commit().outcome();
      advances += outcome.decision() instanceof Decision.Advance ? 1 : 0;
      for (LateDataReport report : outcome.late()) {
        report.rows().asMap().forEach((hour, rows) -> late.merge(hour, rows, Long::sum));
      }
    }
    return new Replay(table.size(), advances, late, table);
  }
}

package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.flights.FlightChanges;
import dev.tidemark.quickstart.flights.FlightFile;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The main job as the README has it, faster. */
class MainJobITCase {
  @Test
  void ledgerAndBaseTableHoldWhatMariaDbHolds() throws Exception {
    MainJob.Result result = new MainJob(Duration.ofSeconds(12), line -> {}).run();

    assertThat(result.check().rows().differences()).isEmpty();
    assertThat(result.check().rows().rows()).isGreaterThan(33_000);
    assertThat(result.baseRows().differences()).isEmpty();
    assertThat(result.agrees()).isTrue();
    assertThat(Objects.requireNonNull(result.baseFinality().opinion()).watermarkMillis())
        .isNotNull();
    assertThat(result.check().changes()).isEqualTo(FlightChanges.of(FlightFile.read()).size());
    assertThat(result.hoursFinal()).isPositive();
    assertThat(result.lines()).anySatisfy(line -> assertThat(line).contains("late"));
  }
}

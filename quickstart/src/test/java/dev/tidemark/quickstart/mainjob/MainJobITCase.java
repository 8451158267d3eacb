package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The main job as the README has it, faster. */
class MainJobITCase {
  @Test
  void theLedgerFoldsToWhatMariaDbHolds() throws Exception {
    MainJob.Result result = new MainJob(Duration.ofSeconds(12), line -> {}).run();

    assertThat(result.check().differences()).isEmpty();
    assertThat(result.check().databaseRows()).isGreaterThan(33_000);
    assertThat(result.check().changes()).isEqualTo(FlightChanges.of(FlightFile.read()).size());
    assertThat(result.hoursFinal()).isGreaterThanOrEqualTo(24);
    assertThat(result.lines()).anySatisfy(line -> assertThat(line).contains("late"));
  }
}

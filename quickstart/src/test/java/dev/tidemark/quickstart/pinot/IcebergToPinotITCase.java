package dev.tidemark.quickstart.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as the README has it. */
class IcebergToPinotITCase {
  @TempDir Path work;

  @Test
  void whatIsFinalInIcebergIsInPinotAndFinalThereAndNothingElse() throws Exception {
    IcebergToPinot.Result result;
    try (FlightsInIceberg flights = FlightsInIceberg.written(work)) {
      result = new IcebergToPinot(System.out::println).run(SharedPinot.get(), flights, work);
    }

    assertThat(result.rows().rows()).isPositive();
    assertThat(result.rows().differences()).isEmpty();
    assertThat(result.beyond()).isPositive();
    assertThat(result.rows().rows() + result.beyond()).isEqualTo(33_363);
    assertThat(HoursOfTwoDays.letters(result.pinot()))
        .isEqualTo(HoursOfTwoDays.letters(result.iceberg()))
        .contains("#");
    assertThat(result.isGood()).isTrue();
  }
}

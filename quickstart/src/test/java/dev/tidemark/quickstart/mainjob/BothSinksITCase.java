package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.embedded.EmbeddedParts;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The program as the README has it, faster. */
class BothSinksITCase {
  @Test
  void oneJobFillsIcebergAndPinotAndBothEqualMariaDbAndAgree() throws Exception {
    BothSinks.Result result;
    try (EmbeddedParts parts = EmbeddedParts.start(System.out::println)) {
      result =
          new BothSinks(Duration.ofSeconds(12), System.out::println).run(SharedPinot.get(), parts);
    }

    assertThat(result.ledger().rows().differences()).isEmpty();
    assertThat(result.current().differences()).isEmpty();
    assertThat(result.current().rows()).isGreaterThan(33_000);
    assertThat(result.facts().differences()).isEmpty();
    assertThat(result.facts().commits()).isGreaterThan(1);
    // Case 19: a primary key that was changed.
    assertThat(result.renumbered()).hasSize(5);
    assertThat(result.currentIds())
        .containsAll(result.renumbered().values())
        .doesNotContainAnyElementsOf(result.renumbered().keySet());
    assertThat(HoursOfTwoDays.letters(result.pinot()))
        .isEqualTo(HoursOfTwoDays.letters(result.iceberg()))
        .containsAnyOf("#", "^");
    assertThat(result.isGood()).isTrue();
  }
}

package dev.tidemark.quickstart.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import org.junit.jupiter.api.Test;

/** The program as the README has it. */
class UpsertBootstrapITCase {
  @Test
  void everyKeyAgreesWithTheSourceWhoeverBroughtIt() throws Exception {
    UpsertBootstrap.Result result;
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      result = new UpsertBootstrap(System.out::println).run(SharedPinot.get(), kafka);
    }

    assertThat(result.live().rows()).isGreaterThan(33_000);
    assertThat(result.live().differences()).isEmpty();
    assertThat(result.sealed().differences()).isEmpty();
    assertThat(result.ties()).isPositive();
    assertThat(HoursOfTwoDays.letters(result.finality()))
        .isEqualTo("#".repeat(30) + "?".repeat(18));
    assertThat(result.isGood()).isTrue();
  }
}

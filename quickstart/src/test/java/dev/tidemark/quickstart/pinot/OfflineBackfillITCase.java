package dev.tidemark.quickstart.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import org.junit.jupiter.api.Test;

/** The program as the README has it. */
class OfflineBackfillITCase {
  @Test
  void aDayIsReplacedAtOnceAndAllRowsAgreeWithTheSource() throws Exception {
    OfflineBackfill.Result result = new OfflineBackfill(System.out::println).run(SharedPinot.get());

    assertThat(result.loaded().rows()).isEqualTo(33_363);
    assertThat(result.loaded().differences()).isEmpty();
    assertThat(result.repeated().differences()).isEmpty();
    assertThat(result.replaced().differences()).isEmpty();
    assertThat(result.replaced().rows()).isLessThan(33_363);
    assertThat(result.reader().failures()).isEmpty();
    assertThat(result.reader().answers()).hasSize(2);
    assertThat(HoursOfTwoDays.letters(result.finality())).matches("#{24}[#^]{24}");
    assertThat(result.isGood()).isTrue();
  }
}

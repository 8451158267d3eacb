package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case 14: one row of tomorrow, and its twin of 1970. */
class PoisonTest {
  private final EngineHarness table = EngineHarness.at("2026-01-01T10:03:00Z");

  @ParameterizedTest
  @ValueSource(strings = {"min", "quantile:0.01", "bounded-lateness:PT10M"})
  void aRowOfTomorrowMovesNothingAndMakesNobodyLate(String policy) {
    EngineHarness.Writer writer = writer(policy);
    writer.with("2026-01-01T10:00:00Z").commit();
    writer.with("2026-01-01T10:02:00Z").commit();

    EngineHarness.Draft poisoned = writer.with("2026-01-02T10:03:00Z");
    assertThat(poisoned.decide().late()).isEmpty();
    poisoned.commit();
    assertThat(table.watermark()).isEqualTo("none");

    for (int row = 0; row < 10; row++) {
      table.after("PT1M");
      writer
          .with(Instant.parse("2026-01-01T10:03:00Z").plusSeconds(60 * row).toString())
          .commit()
          .nothingLate();
    }
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(strings = {"min", "quantile:0.01", "bounded-lateness:PT10M"})
  void aRowOfTomorrowIsCountedInACommitOfHonestRows(String policy) {
    EngineHarness.Writer writer = writer(policy);

    writer.with("2026-01-01T10:00:00Z").commit();
    writer.with("2026-01-01T10:01:00Z").commit();
    writer
        .with("2026-01-01T10:02:00Z", "2026-01-02T10:03:00Z")
        .commit()
        .advancedTo(policy.startsWith("bounded") ? "2026-01-01T09:00:00Z" : "2026-01-01T10:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(strings = {"min", "quantile:0.01", "bounded-lateness:PT10M"})
  void aRowOf1970DoesNotPinTheWatermark(String policy) {
    EngineHarness.Writer writer = writer(policy);
    for (int row = 0; row < 5; row++) {
      writer.with("1970-01-01T00:00:00Z", "2026-01-01T10:0" + row + ":00Z").commit().nothingLate();
    }

    assertThat(table.watermark())
        .isEqualTo(policy.startsWith("bounded") ? "2026-01-01T09:00:00Z" : "2026-01-01T10:00:00Z");
  }

  private EngineHarness.Writer writer(String policy) {
    return table.writer(
        FinalizationConfig.forWriter("orders")
            .policy(FinalizationPolicy.parse(policy))
            .lookback(3, Duration.ZERO)
            .readFromBeginning()
            .build());
  }
}

package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import java.time.Instant;

/** What a table must say of itself. Times are times of the day of {@link Events}. */
final class Opinions {
  private Opinions() {}

  /** The truth and its mirror. */
  static void assertWatermark(TestTable table, String time) {
    assertTruth(table, time);
    assertMirror(table, time);
  }

  /** The truth alone. */
  static void assertTruth(TestTable table, String time) {
    assertThat(Instant.ofEpochMilli(table.finality().opinion().watermarkMillis()))
        .as("truth")
        .isEqualTo(at(time));
  }

  /** What the properties show. */
  static void assertMirror(TestTable table, String time) {
    assertThat(table.properties())
        .as("mirror")
        .containsEntry(FinalizationProperties.WATERMARK, at(time).toString())
        .containsEntry(FinalizationProperties.WATERMARK_MS, at(time).toEpochMilli() + "");
  }

  /** Why it stands still. */
  static Hold hold(TestTable table) {
    return table.finality().opinion().hold();
  }

  /** The answer for the hour that starts then. */
  static FinalityAnswer ask(TestTable table, String hour) {
    return table.finality().answerAt(at(hour));
  }

  static Instant at(String time) {
    return Instant.parse("2026-01-01T" + time + ":00Z");
  }
}

package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateDataReport.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the facts of one writer alone do to the watermark. */
class WindowHoldsTest {
  private final EngineHarness table = EngineHarness.at("2026-01-01T09:00:00Z");

  @Test
  void warmsUpUntilTheWindowHoldsEnoughCommits() {
    EngineHarness.Writer writer = table.writer(hourly(3, "PT0S").build());

    writer.with("2026-01-01T08:50:00Z").commit().heldBy("WARM_UP");
    table.after("PT5M");
    writer.with("2026-01-01T08:55:00Z").commit().heldBy("WARM_UP");
    table.after("PT5M");
    writer.with("2026-01-01T09:01:00Z").commit().advancedTo("2026-01-01T08:00:00Z");
  }

  @Test
  void warmsUpUntilTheWindowSpansEnoughCommitTime() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT30M").build());

    for (int minute = 0; minute < 30; minute += 10) {
      writer.with("2026-01-01T09:00:00Z").commit().heldBy("WARM_UP");
      table.after("PT10M");
    }
    writer.with("2026-01-01T09:20:00Z").commit().advancedTo("2026-01-01T09:00:00Z");
  }

  @Test
  void commitsWithoutStreamRecordsDoNotWarmUp() {
    EngineHarness.Writer writer = table.writer(hourly(3, "PT0S").build());
    for (int commit = 0; commit < 5; commit++) {
      writer.empty().commit().heldBy("NO_DATA");
    }
    writer.with("2026-01-01T08:50:00Z").commit().heldBy("WARM_UP");
    writer.empty().commit().heldBy("WARM_UP");
    assertThat(table.watermark()).isEqualTo("none");
  }

  @Test
  void theOldestEventOfTheWindowDecides() {
    EngineHarness.Writer writer = table.writer(hourly(3, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer.with("2026-01-01T10:10:00Z", "2026-01-01T11:50:00Z").commit();
    writer.with("2026-01-01T11:20:00Z").commit();
    writer.with("2026-01-01T11:30:00Z").commit().advancedTo("2026-01-01T10:00:00Z");
    // The 10:10 has left the window.
    writer.with("2026-01-01T11:40:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
    writer.with("2026-01-01T11:50:00Z").commit().heldBy("INSIDE_GRANULE");
  }

  @Test
  void anEventOnTheBoundaryClosesTheGranuleBeforeIt() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer.with("2026-01-01T10:59:59.999Z").commit().advancedTo("2026-01-01T10:00:00Z");
    writer.with("2026-01-01T11:00:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void lateRowsHoldTheWatermarkAndAreCounted() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    writer.with("2026-01-01T11:01:00Z").commit().nothingLate().advancedTo("2026-01-01T11:00:00Z");

    writer
        .with("2026-01-01T09:59:59Z", "2026-01-01T10:00:00Z", "2026-01-01T10:59:59.999Z")
        .commit()
        .heldBy("LATE_DATA")
        .late(Cause.STREAM, Map.of("2026-01-01T09:00:00Z", 1L, "2026-01-01T10:00:00Z", 2L));

    assertThat(table.watermark()).isEqualTo("2026-01-01T11:00:00Z");
    writer.with("2026-01-01T11:00:00Z").commit().nothingLate().heldBy("INSIDE_GRANULE");
  }

  @Test
  void rowsThatMoveTheWatermarkAreNotLateThemselves() {
    EngineHarness.Writer writer =
        table.writer(
            hourly(1, "PT0S").policy(FinalizationPolicy.boundedLateness(Duration.ZERO)).build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer
        .with("2026-01-01T10:30:00Z", "2026-01-01T11:30:00Z")
        .commit()
        .nothingLate()
        .advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void neverPassesTheCommitTime() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T10:58:00Z"));

    // Within the five minutes of skew that are accepted.
    writer.with("2026-01-01T11:02:00Z").commit().advancedTo("2026-01-01T10:00:00Z");
    table.after("PT2M");
    writer.with("2026-01-01T11:03:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void aClockThatGoesBackHolds() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    writer.with("2026-01-01T10:30:00Z").commit().advancedTo("2026-01-01T10:00:00Z");

    table.after("-PT0.001S");
    writer.with("2026-01-01T11:30:00Z").commit().heldBy("CLOCK");
    table.after("PT0.001S");
    writer.with("2026-01-01T11:30:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void aForeignCommitOfUnknownTimesHolds() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer.with("2026-01-01T11:30:00Z").foreignUnknown().commit().heldBy("FOREIGN_COMMIT");
    writer.with("2026-01-01T11:40:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void compactionsAndForeignAppendsAreSteppedOver() {
    EngineHarness.Writer writer = table.writer(hourly(3, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    writer.with("2026-01-01T11:10:00Z").commit();
    table.foreignCommit();
    writer.with("2026-01-01T11:20:00Z").commit();
    table.foreignCommit().foreignCommit().foreignCommit();

    writer.with("2026-01-01T11:30:00Z").commit().advancedTo("2026-01-01T11:00:00Z");

    table.foreignCommit();
    assertThat(table.watermark()).isEqualTo("2026-01-01T11:00:00Z");
  }

  @Test
  void foreignRowsBelowTheWatermarkReopenTheirGranules() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    writer.with("2026-01-01T11:30:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
    table.foreignCommit();

    writer
        .with("2026-01-01T11:40:00Z")
        .foreignRows("2026-01-01T10:00:00Z", 5)
        .commit()
        .late(Cause.FOREIGN, Map.of("2026-01-01T10:00:00Z", 5L))
        .heldBy("INSIDE_GRANULE");

    assertThat(table.opinion().reopened().toText()).isEqualTo("1767261600:5:1");
  }

  @Test
  void eachForeignCommitStaysARevisionWhenItsRowsAreTakenOver() {
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    writer.with("2026-01-01T11:30:00Z").commit().advancedTo("2026-01-01T11:00:00Z");

    writer
        .with("2026-01-01T11:40:00Z")
        .foreignRows("2026-01-01T10:00:00Z", 5)
        .foreignRows("2026-01-01T10:00:00Z", 7)
        .commit()
        .late(Cause.FOREIGN, Map.of("2026-01-01T10:00:00Z", 12L));

    assertThat(table.opinion().reopened().toText()).isEqualTo("1767261600:12:2");
  }

  @Test
  void aChangedPolicyWarmsUpAgainAndNeverTakesBack() {
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    EngineHarness.Writer before = table.writer(hourly(2, "PT0S").build());
    before.with("2026-01-01T11:10:00Z").commit();
    before.with("2026-01-01T11:10:00Z").commit().advancedTo("2026-01-01T11:00:00Z");

    EngineHarness.Writer after =
        table.writer(
            hourly(2, "PT0S")
                .policy(FinalizationPolicy.boundedLateness(Duration.ofHours(3)))
                .build());
    after.with("2026-01-01T11:50:00Z").commit().heldBy("WARM_UP");
    after.with("2026-01-01T11:50:00Z").commit().heldBy("LATE_DATA");

    assertThat(table.watermark()).isEqualTo("2026-01-01T11:00:00Z");
    assertThat(table.opinion().policy()).hasToString("bounded-lateness:PT3H;2;PT0S;PT1H");
  }

  @Test
  void aCoarserGranularityWaitsForItsOwnBoundary() {
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    EngineHarness.Writer fine =
        table.writer(hourly(1, "PT0S").granularity(Granularity.of(Duration.ofMinutes(15))).build());
    fine.with("2026-01-01T10:20:00Z").commit().advancedTo("2026-01-01T10:15:00Z");

    EngineHarness.Writer coarse = table.writer(hourly(1, "PT0S").build());
    coarse.with("2026-01-01T10:59:00Z").commit().heldBy("INSIDE_GRANULE");
    coarse.with("2026-01-01T11:00:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void localDaysBecomeFinalAtLocalMidnight() {
    table.at(Instant.parse("2026-03-10T00:00:00Z"));
    EngineHarness.Writer writer =
        table.writer(
            hourly(1, "PT0S").granularity(Granularity.parse("P1D@America/Los_Angeles")).build());

    writer.with("2026-03-09T06:59:59Z").commit().advancedTo("2026-03-08T08:00:00Z");
    writer.with("2026-03-09T07:00:00Z").commit().advancedTo("2026-03-09T07:00:00Z");
  }

  @Test
  void theEvidenceOfWhatWasSeenIsAnEstimate() {
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    table.writer(hourly(1, "PT0S").build()).with("2026-01-01T11:30:00Z").commit();

    assertThat(table.opinion().watermark())
        .hasToString("[1970-01-01T00:00:00Z, 2026-01-01T11:00:00Z) estimate");
  }

  @Test
  void anOpinionThatMovedIsWorthACommitAndOneThatDidNotIsNot() {
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    EngineHarness.Writer writer = table.writer(hourly(1, "PT0S").build());

    assertThat(writer.with("2026-01-01T11:30:00Z").commit().outcome().worthACommit()).isTrue();
    assertThat(writer.empty().commit().outcome().worthACommit()).isFalse();
    assertThat(writer.with("2026-01-01T11:40:00Z").commit().outcome().worthACommit()).isFalse();
  }

  private static FinalizationConfig.Builder hourly(int commits, String span) {
    return FinalizationConfig.forWriter("orders")
        .lookback(commits, Duration.parse(span))
        .readFromBeginning();
  }
}

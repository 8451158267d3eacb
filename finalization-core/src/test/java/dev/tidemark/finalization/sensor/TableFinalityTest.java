package dev.tidemark.finalization.sensor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableFinalityTest {
  private static final String START = "2026-01-01T00:00:00Z";
  private static final String WATERMARK = "2026-01-02T11:00:00Z";

  private ReopenedGranules reopened = ReopenedGranules.NONE;
  private ForeignRows foreign = ForeignRows.NONE;
  private @Nullable Hold hold = Hold.of(Hold.Reason.INSIDE_GRANULE);
  private Granularity granularity = Granularity.HOUR;
  private boolean revoked;

  @Test
  void anHourBelowTheWatermarkIsReady() {
    assertThat(hour("2026-01-02T10:00:00Z")).isEqualTo(new FinalityAnswer.Ready(finality(), 0));
    assertThat(hour(START)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(finality().answerAt(Instant.parse("2026-01-02T10:59:59.999Z")))
        .isEqualTo(new FinalityAnswer.Ready(finality(), 0));
  }

  @Test
  void anHourThatReachesAboveItIsNotAndSaysWhy() {
    assertThat(hour("2026-01-02T11:00:00Z"))
        .isEqualTo(new FinalityAnswer.NotReady(finality(), hold));
    assertThat(finality().answerAt(Instant.parse(WATERMARK)))
        .isEqualTo(new FinalityAnswer.NotReady(finality(), hold));

    hold = null;
    assertThat(hour("2026-01-02T11:00:00Z"))
        .isEqualTo(new FinalityAnswer.NotReady(finality(), null));
  }

  @Test
  void whatLiesPastAWatermarkThatNobodyRaisesIsUnknown() {
    TableFinality ends =
        new TableFinality(finality().opinion(), false, "1", ForeignRows.NONE, Duration.ZERO, true);
    assertThat(ends.answerAt(Instant.parse(WATERMARK))).isEqualTo(new FinalityAnswer.Unknown(ends));
    assertThat(ends.answerAt(Instant.parse(START))).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void whatLiesBeforeTheStartIsUnknown() {
    assertThat(hour("2025-12-31T23:00:00Z")).isEqualTo(new FinalityAnswer.Unknown(finality()));
    assertThat(between("2025-12-31T23:30:00Z", "2026-01-01T00:30:00Z"))
        .isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void aTableWithoutAnOpinionOrAStartIsUnknown() {
    assertThat(TableFinality.unknown().answer(0, 1, null))
        .isEqualTo(new FinalityAnswer.Unknown(TableFinality.unknown()));
    assertThat(TableFinality.unknown().answerAt(Instant.EPOCH))
        .isInstanceOf(FinalityAnswer.Unknown.class);

    Opinion registered =
        Opinion.initial(FinalizationConfig.forWriter("orders").build().policyText());
    TableFinality noStart =
        new TableFinality(registered, false, "1", ForeignRows.NONE, Duration.ZERO);
    assertThat(noStart.answerAt(Instant.parse(START))).isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void aTableRolledBackBehindItsMirrorIsRevokedForEveryHour() {
    revoked = true;
    assertThat(hour(START)).isEqualTo(new FinalityAnswer.Revoked(finality()));
    assertThat(hour("2025-01-01T00:00:00Z")).isInstanceOf(FinalityAnswer.Revoked.class);
    assertThat(finality().answerAt(Instant.parse(START)))
        .isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void aTableRolledBackBehindItsFirstOpinionIsRevokedToo() {
    TableFinality back = new TableFinality(null, true, null, ForeignRows.NONE, Duration.ZERO);

    assertThat(back.answer(0, 3_600_000, null)).isInstanceOf(FinalityAnswer.Revoked.class);
    assertThat(back.answerAt(Instant.parse(START))).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void aReopenedHourSaysHowOftenAndByHowMuch() {
    reopened = ReopenedGranules.NONE.plus(rows("2026-01-02T08:00:00Z", 7));
    reopened = reopened.plus(rows("2026-01-02T08:00:00Z", 2));

    assertThat(hour("2026-01-02T08:00:00Z"))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 9, 2));
    assertThat(hour("2026-01-02T07:00:00Z")).isEqualTo(new FinalityAnswer.Ready(finality(), 0));
    assertThat(hour("2026-01-02T09:00:00Z")).isEqualTo(new FinalityAnswer.Ready(finality(), 0));
  }

  @Test
  void aConsumerThatHasReadTheRevisionIsDone() {
    reopened = ReopenedGranules.NONE.plus(rows("2026-01-02T08:00:00Z", 7));

    assertThat(hour("2026-01-02T08:00:00Z", 0)).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertThat(hour("2026-01-02T08:00:00Z", 1)).isEqualTo(new FinalityAnswer.Ready(finality(), 1));

    reopened = reopened.plus(rows("2026-01-02T08:00:00Z", 1));
    assertThat(hour("2026-01-02T08:00:00Z", 1))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 8, 2));
    assertThat(hour("2026-01-02T08:00:00Z", 2)).isEqualTo(new FinalityAnswer.Ready(finality(), 2));
  }

  @Test
  void foreignRowsReopenToo() {
    foreign = ForeignRows.ofOne(rows("2026-01-02T08:00:00Z", 100));

    assertThat(hour("2026-01-02T08:00:00Z"))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 100, 1));
  }

  @Test
  void eachForeignCommitIsARevisionToWhomeverHasReadTheOneBefore() {
    foreign = ForeignRows.ofOne(rows("2026-01-02T08:00:00Z", 5));
    assertThat(hour("2026-01-02T08:00:00Z", 1)).isEqualTo(new FinalityAnswer.Ready(finality(), 1));

    foreign =
        new ForeignRows(List.of(rows("2026-01-02T08:00:00Z", 5), rows("2026-01-02T08:00:00Z", 7)));
    assertThat(hour("2026-01-02T08:00:00Z", 1))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 12, 2));
    assertThat(hour("2026-01-02T08:00:00Z", 2)).isEqualTo(new FinalityAnswer.Ready(finality(), 2));
  }

  @Test
  void aHourOlderThanAllThatAreKeptMayHaveBeenReopened() {
    for (int hour = 0; hour < 26; hour++) {
      reopened =
          reopened.plus(rows(Instant.parse(START).plus(Duration.ofHours(hour)).toString(), 3));
    }

    assertThat(hour(START)).isEqualTo(new FinalityAnswer.LateReopened(finality(), 6, 6));
    assertThat(hour("2026-01-01T02:00:00Z"))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 3, 1));
  }

  /** Case 13. */
  @Test
  void localDaysAreAnsweredByATableOfUtcHours() {
    String watermark = "2026-01-01T16:30:00Z";
    TableFinality finality = finality("2025-12-01T00:00:00Z", watermark);

    assertThat(localDay(finality, "Asia/Shanghai", "2026-01-01"))
        .isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(localDay(finality, "Asia/Shanghai", "2026-01-02"))
        .isInstanceOf(FinalityAnswer.NotReady.class);
    assertThat(localDay(finality, "UTC", "2026-01-01")).isInstanceOf(FinalityAnswer.NotReady.class);
    assertThat(localDay(finality, "UTC", "2025-12-31")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  /** Case 13. */
  @Test
  void aLocalDayOf23HoursIsFinalAfter23Hours() {
    TableFinality before = finality(START, "2026-03-09T06:00:00Z");
    TableFinality after = finality(START, "2026-03-09T07:00:00Z");

    assertThat(localDay(before, "America/Los_Angeles", "2026-03-08"))
        .isInstanceOf(FinalityAnswer.NotReady.class);
    assertThat(localDay(after, "America/Los_Angeles", "2026-03-08"))
        .isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void aDayAddsUpTheRevisionsOfItsHours() {
    reopened =
        ReopenedGranules.NONE
            .plus(rows("2026-01-01T08:00:00Z", 7))
            .plus(rows("2026-01-01T08:00:00Z", 1))
            .plus(rows("2026-01-01T20:00:00Z", 5))
            .plus(rows("2026-01-02T01:00:00Z", 9));

    assertThat(between(START, "2026-01-02T00:00:00Z"))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 13, 3));
    assertThat(finality().answer(millis(START), millis("2026-01-02T00:00:00Z"), 3))
        .isEqualTo(new FinalityAnswer.Ready(finality(), 3));
  }

  @Test
  void partOfAReopenedGranuleIsReopened() {
    reopened = ReopenedGranules.NONE.plus(rows("2026-01-02T08:00:00Z", 7));

    assertThat(between("2026-01-02T08:15:00Z", "2026-01-02T08:30:00Z"))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 7, 1));
  }

  @Test
  void anHourOfAReopenedLocalDayIsReopened() {
    granularity = Granularity.parse("P1D@Asia/Kolkata");
    reopened = ReopenedGranules.NONE.plus(rows("2026-01-01T18:30:00Z", 7));

    assertThat(hour("2026-01-02T08:00:00Z"))
        .isEqualTo(new FinalityAnswer.LateReopened(finality(), 7, 1));
    assertThat(hour("2026-01-01T08:00:00Z")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  private FinalityAnswer hour(String start) {
    return hour(start, null);
  }

  private FinalityAnswer hour(String start, @Nullable Integer revision) {
    return finality().answer(millis(start), millis(start) + 3_600_000, revision);
  }

  private FinalityAnswer between(String start, String end) {
    return finality().answer(millis(start), millis(end), null);
  }

  private static FinalityAnswer localDay(TableFinality finality, String zone, String day) {
    LocalDate date = LocalDate.parse(day);
    ZoneId id = ZoneId.of(zone);
    return finality.answer(
        date.atStartOfDay(id).toInstant().toEpochMilli(),
        date.plusDays(1).atStartOfDay(id).toInstant().toEpochMilli(),
        null);
  }

  private TableFinality finality() {
    return finality(START, WATERMARK);
  }

  private TableFinality finality(String from, String watermark) {
    Opinion opinion =
        new Opinion(
            new FinalizationWatermark(millis(from), millis(watermark), Evidence.ESTIMATE),
            FinalizationConfig.forWriter("orders").granularity(granularity).build().policyText(),
            hold,
            0,
            false,
            new TreeMap<>(),
            reopened);
    return new TableFinality(opinion, revoked, "8123", foreign, Duration.ofSeconds(5));
  }

  private static GranuleCounts rows(String granule, long rows) {
    return GranuleCounts.of(new TreeMap<>(Map.of(millis(granule), rows)));
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }
}

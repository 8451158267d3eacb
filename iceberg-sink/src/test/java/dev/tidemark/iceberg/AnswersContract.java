package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.Hold;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** What a reader of a real table is told. */
abstract class AnswersContract extends TableContract {
  AnswersContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void tableThatNobodyWroteIsUnknown() {
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Unknown.class);
    Table table = load();
    TestFiles.append(table, TestFiles.of(table, "09:05"));
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void registeredWriterWithoutDataIsUnknownAndSaysWhy() {
    writer("w");
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.NO_DATA));
  }

  @Test
  void hourBelowTheWatermarkIsReadyWithEverythingThatACallerMayWantToKnow() {
    long snapshot = writer("w").write("10:05").snapshotId();
    assertThat(ask("09:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.Ready.class,
            answer -> {
              assertThat(answer.revision()).isZero();
              TableFinality finality = answer.finality();
              assertThat(finality.snapshotId()).isEqualTo("" + snapshot);
              assertThat(opinion().epoch()).isZero();
              assertThat(opinion().policy().toString()).isEqualTo("min;1;PT0S;PT1H");
              assertThat(opinion().watermark().evidence()).isEqualTo(Evidence.ESTIMATE);
              assertThat(opinion().watermark().fromMillis()).isZero();
            });
  }

  @Test
  void hourThatTheWatermarkHasNotPassedIsNotReadyAndSaysWhy() {
    EventWriter writer = writer("w");
    writer.write("10:05");
    writer.write("10:30");
    assertThat(ask("10:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.NotReady.class,
            answer -> assertThat(answer.hold()).isEqualTo(Hold.of(Hold.Reason.INSIDE_GRANULE)));
  }

  @Test
  void hourBeforeTheStartOfReadingIsUnknown() {
    EventWriter writer =
        EventWriter.start(
            load(), FinalizationConfig.forWriter("w").lookback(1, Duration.ZERO).build());
    writer.write("10:05", "10:20");
    writer.write("13:05");

    assertThat(ask("10:00")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void lateRowsReopenAnHourOncePerCommitUntilTheReaderKnowsTheRevision() {
    EventWriter writer = writer("w");
    writer.write("12:05");
    writer.write("10:10", "10:20", "12:30");
    writer.write("10:30", "12:40");

    TableFinality finality = read();
    assertThat(ask(finality, "10:00", null))
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class,
            answer -> {
              assertThat(answer.rows()).isEqualTo(3);
              assertThat(answer.revision()).isEqualTo(2);
            });
    assertThat(ask(finality, "10:00", 1)).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertThat(ask(finality, "10:00", 2))
        .isInstanceOfSatisfying(
            FinalityAnswer.Ready.class, answer -> assertThat(answer.revision()).isEqualTo(2));
    assertThat(ask(finality, "11:00", null)).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void rowsBeforeTheClaimAreReportedButReopenNothing() {
    EventWriter writer =
        EventWriter.start(
            load(),
            FinalizationConfig.forWriter("w")
                .lookback(1, Duration.ZERO)
                .readFrom(Instant.parse("2026-01-01T09:00:00Z"))
                .build());
    writer.write("12:05");
    writer.write("07:05", "12:30");
    assertThat(ask("07:00")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(opinion().reopened().granules()).isEmpty();
    assertThat(load().currentSnapshot().summary()).containsKey("finalization.late");
  }

  @Test
  void answerTellsItsAgeByTheReadersClock() {
    long snapshot = writer("w").write("10:05").snapshotId();
    Table table = load();
    TestFiles.append(table, TestFiles.of(table, "10:30"));
    Instant carried = Instant.ofEpochMilli(table.snapshot(snapshot).timestampMillis());

    Clock later = Clock.fixed(carried.plusSeconds(300), ZoneOffset.UTC);
    assertThat(IcebergFinality.of(table, "main", later).read().age())
        .isEqualTo(Duration.ofSeconds(300));
    Clock behind = Clock.fixed(carried.minusSeconds(300), ZoneOffset.UTC);
    assertThat(IcebergFinality.of(table, "main", behind).read().age()).isZero();
  }

  @Test
  void ageSurvivesTheExpiryOfTheOpinion() {
    long snapshot = writer("w").write("10:05").snapshotId();
    Table table = load();
    long time = table.snapshot(snapshot).timestampMillis();
    TestFiles.append(table, TestFiles.of(table, "10:30"));
    expireAllButHead(table);

    Clock later = Clock.fixed(Instant.ofEpochMilli(time + 300_000), ZoneOffset.UTC);
    TableFinality finality = IcebergFinality.of(table, "main", later).read();
    assertThat(finality.snapshotId()).isEqualTo("" + snapshot);
    assertThat(finality.age()).isBetween(Duration.ofSeconds(300), Duration.ofSeconds(301));
  }

  @Test
  void localDayOfAZoneIsFinalWhenItsOwnMidnightIsReached() {
    writer("w").write(List.of(Instant.parse("2026-01-01T16:30:00Z").toEpochMilli()));
    TableFinality finality = read();
    assertThat(truth()).isEqualTo("16:00");
    ZoneId shanghai = ZoneId.of("Asia/Shanghai");
    assertThat(day(finality, "2026-01-01", shanghai)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(day(finality, "2026-01-02", shanghai)).isInstanceOf(FinalityAnswer.NotReady.class);
    assertThat(day(finality, "2026-01-01", ZoneOffset.UTC))
        .isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void tableOfLocalDaysAdvancesByLocalDays() {
    ZoneId losAngeles = ZoneId.of("America/Los_Angeles");
    EventWriter writer =
        EventWriter.start(
            load(), EventWriter.config("w").granularity(Granularity.daysIn(losAngeles)).build());
    writer.write(List.of(Instant.parse("2026-03-09T06:59:00Z").toEpochMilli()));
    assertThat(truth()).isEqualTo("2026-03-08T08:00:00Z");

    writer.write(List.of(Instant.parse("2026-03-09T07:00:00Z").toEpochMilli()));
    assertThat(truth()).as("a day of 23 hours").isEqualTo("2026-03-09T07:00:00Z");
    assertThat(read().answerAt(Instant.parse("2026-03-08T20:00:00Z")))
        .isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(day(read(), "2026-03-08", losAngeles)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(day(read(), "2026-03-09", losAngeles)).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  private static FinalityAnswer day(TableFinality finality, String date, ZoneId zone) {
    LocalDate day = LocalDate.parse(date);
    return finality.answer(
        day.atStartOfDay(zone).toInstant().toEpochMilli(),
        day.plusDays(1).atStartOfDay(zone).toInstant().toEpochMilli(),
        null);
  }
}

package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Hold;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** Commits of others, who know nothing of finalization. */
abstract class ForeignContract extends TableContract {
  private final List<LateDataReport> heard = new ArrayList<>();

  ForeignContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void appendAboveTheWatermarkChangesNothing() {
    EventWriter writer = listened();
    writer.write("12:05");
    append(load(), "12:00", "15:30");

    assertReady("11:00", 0);
    assertReady("08:00", 0);
    writer.write("13:05");

    assertWatermark("13:00");
    assertThat(heard).isEmpty();
    assertReady("12:00", 0);
  }

  @Test
  void appendBelowTheWatermarkReopensItsHoursForReadersAtOnce() {
    listened().write("12:05");
    append(load(), "09:10", "10:50");

    assertReopened("09:00", 2, 1);
    assertReopened("10:00", 2, 1);
    assertReady("08:00", 0);
    assertReady("11:00", 0);
    assertWatermarkOfTruth("12:00");
  }

  @Test
  void appendBelowTheWatermarkIsReportedByTheNextCommit() {
    EventWriter writer = listened();
    writer.write("12:05");
    append(load(), "09:10", "10:50");

    writer.write("13:05");

    assertThat(heard)
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.cause()).isEqualTo(LateDataReport.Cause.FOREIGN);
              assertThat(report.watermarkMillis()).isEqualTo(TestFiles.at("12:00"));
              assertThat(report.rows().asMap())
                  .containsExactly(
                      Map.entry(TestFiles.at("09:00"), 2L), Map.entry(TestFiles.at("10:00"), 2L));
            });
    assertThat(load().currentSnapshot().summary())
        .containsKey("finalization.late-foreign")
        .doesNotContainKey("finalization.late");
    assertReopened("09:00", 2, 1);
    assertReady("11:00", 0);
    assertWatermark("13:00");

    writer.write("14:05");
    assertThat(heard).as("told once").hasSize(1);
    assertReopened("09:00", 2, 1);
  }

  @Test
  void fileThatReachesOverTheWatermarkCountsBelowItAlone() {
    listened().write("12:05");
    append(load(), "11:30", "15:30");
    assertReopened("11:00", 2, 1);
    assertReady("10:00", 0);
  }

  @Test
  void fileThatEndsExactlyAtTheWatermarkIsNotLate() {
    EventWriter writer = listened();
    writer.write("12:05");
    append(load(), "12:00", "12:00");
    assertReady("11:00", 0);
    writer.write("12:30");
    assertThat(heard).isEmpty();
  }

  @Test
  void severalAppendsAddUp() {
    EventWriter writer = listened();
    writer.write("12:05");
    append(load(), "09:10");
    append(load(), "09:20", "09:30");
    append(load(), "14:30");

    assertThat(read().foreign().asMap()).containsExactly(Map.entry(TestFiles.at("09:00"), 3L));
    writer.write("13:05");
    assertReopened("09:00", 3, 2);

    append(load(), "09:40");
    assertReopened("09:00", 4, 3);
    writer.write("14:05");
    assertReopened("09:00", 4, 3);
  }

  @Test
  void eachAppendIsARevisionForWhomeverHasReadTheOneBefore() {
    EventWriter writer = listened();
    writer.write("12:05");
    append(load(), "09:10");
    assertReopened("09:00", 1, 1);
    assertThat(ask(read(), "09:00", 1)).isInstanceOf(FinalityAnswer.Ready.class);

    append(load(), "09:20", "09:30");
    assertThat(ask(read(), "09:00", 1)).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertReopened("09:00", 3, 2);

    writer.write("13:05");
    assertThat(ask(read(), "09:00", 1)).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertThat(ask(read(), "09:00", 2)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(heard).as("one report of all that was found").hasSize(1);

    writer.write("09:40", "14:05");
    assertThat(ask(read(), "09:00", 2)).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertReopened("09:00", 4, 3);
  }

  @Test
  void compactionBetweenTwoAppendsIsNoRevision() {
    listened().write("12:05");
    append(load(), "09:10");
    Table table = load();
    Set<DataFile> files = new HashSet<>();
    SnapshotChanges.builderFor(table)
        .snapshot(table.currentSnapshot())
        .build()
        .addedDataFiles()
        .forEach(files::add);
    table.newRewrite().rewriteFiles(files, Set.of(TestFiles.of(table, "09:10"))).commit();
    append(load(), "09:20");

    assertReopened("09:00", 2, 2);
  }

  @Test
  void fileWithoutBoundsHoldsTheNextCommit() {
    EventWriter writer = listened();
    writer.write("12:05");
    Table table = load();
    TestFiles.append(table, TestFiles.withoutBounds(table, 5), TestFiles.of(table, "09:10"));

    writer.write("13:05");

    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.FOREIGN_COMMIT));
    assertWatermark("12:00");
    assertReopened("09:00", 1, 1);
    writer.write("13:30");
    assertWatermark("13:00");
  }

  @Test
  void appendBeforeTheFirstWatermarkIsNobodysLateRow() {
    Table table = load();
    append(table, "09:10");
    EventWriter writer = listened();
    append(table, "09:20");
    writer.write("12:05");
    assertThat(heard).isEmpty();
    assertWatermark("12:00");
  }

  @Test
  void deletionIsSteppedOver() {
    EventWriter writer = listened();
    writer.write("12:05");
    Table table = load();
    table.newDelete().deleteFile(TestFiles.paths(table).get(0)).commit();
    writer.write("13:05");
    assertThat(heard).isEmpty();
    assertWatermark("13:00");
  }

  @Test
  void boundsAreFoundByFieldIdAfterARename() {
    EventWriter writer = listened();
    writer.write("12:05");
    load().updateSchema().renameColumn("event_time", "happened_at").commit();
    append(load(), "09:10");
    assertReopened("09:00", 1, 1);
  }

  private EventWriter listened() {
    return EventWriter.start(
        load(),
        EventWriter.config("w").build(),
        plan -> plan.lateListeners(List.of((table, report) -> heard.add(report))));
  }

  private static void append(Table table, String... times) {
    TestFiles.append(table, TestFiles.of(table, times));
  }

  private void assertWatermarkOfTruth(String time) {
    assertThat(truth()).isEqualTo(time);
  }

  private void assertReady(String hour, int revision) {
    assertThat(ask(hour))
        .as("hour %s", hour)
        .isInstanceOfSatisfying(
            FinalityAnswer.Ready.class,
            answer -> assertThat(answer.revision()).isEqualTo(revision));
  }

  private void assertReopened(String hour, long rows, int revision) {
    assertThat(ask(hour))
        .as("hour %s", hour)
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class,
            answer -> {
              assertThat(answer.rows()).isEqualTo(rows);
              assertThat(answer.revision()).isEqualTo(revision);
            });
  }
}

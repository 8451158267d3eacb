package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.Hold;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** Compaction and expiry. */
abstract class HistoryContract extends TableContract {
  HistoryContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void compactionIsSteppedOver() {
    EventWriter writer = EventWriter.start(load(), threeCommits());
    writer.write("10:05");
    writer.write("11:05");
    compact(load());
    assertThat(load().currentSnapshot().operation()).isEqualTo("replace");
    assertThat(load().currentSnapshot().summary())
        .doesNotContainKeys("finalization.watermark-ms", "finalization.policy");

    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WARM_UP));
    writer.write("12:05");

    assertWatermark("10:00");
    assertThat(load().currentSnapshot().summary()).doesNotContainKey("finalization.late-foreign");
  }

  @Test
  void compactionOfFinalHoursChangesNoAnswer() {
    EventWriter writer = writer("w");
    writer.write("08:05");
    writer.write("10:05");
    compact(load());
    assertThat(ask("08:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.Ready.class, answer -> assertThat(answer.revision()).isZero());
    assertThat(truth()).isEqualTo("10:00");
  }

  @Test
  void expiryOfEverythingButTheHeadKeepsOpinionAndWindow() {
    EventWriter writer = EventWriter.start(load(), threeCommits());
    writer.write("10:05");
    writer.write("11:05");
    expireAllButHead(load());
    assertThat(load().snapshots()).hasSize(1);

    writer.write("12:05");
    assertWatermark("10:00");

    expireAllButHead(load());
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);
    writer.write("13:05");
    assertWatermark("11:00");
  }

  @Test
  void opinionThatOnlyTheMirrorStillHoldsIsValid() {
    EventWriter writer = writer("w");
    writer.write("10:05");
    leaveForeignHeadAlone("10:30");
    assertThat(load().snapshots()).hasSize(1);
    assertThat(load().currentSnapshot().summary()).doesNotContainKey("finalization.policy");

    assertThat(truth()).isEqualTo("10:00");
    assertThat(read().revoked()).isFalse();
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(ask("10:00")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  /** Every commit of ours names its snapshot in the mirror: this one was typed by somebody. */
  @Test
  void mirrorThatNamesNoSnapshotClaimsNothing() {
    TestFiles.append(load(), TestFiles.of(load(), "10:30"));
    load()
        .updateProperties()
        .set("finalization.policy", "min;6;PT30M;PT1H")
        .set("finalization.from-ms", "0")
        .set("finalization.watermark-ms", Long.toString(TestFiles.at("12:00")))
        .commit();

    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Unknown.class);
    writer("w").write("10:05");
    assertWatermark("10:00");
  }

  @Test
  void commitAfterTheOpinionExpiredDoesNotMoveTheWatermarkBack() {
    EventWriter writer = writer("w");
    writer.write("10:05");
    leaveForeignHeadAlone("10:30");

    writer.write("08:05");
    assertWatermark("10:00");
    writer.write("11:05");
    assertWatermark("11:00");
  }

  @Test
  void writersAreNotForgottenWhenTheirOpinionExpired() {
    EventWriter a = writer("a");
    EventWriter b = writer("b");
    a.write("10:05");
    b.write("08:05");
    leaveForeignHeadAlone("10:30");

    a.write("12:05");

    assertWatermark("08:00");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b")));
    b.write("11:05");
    assertWatermark("11:00");
  }

  @Test
  void foreignRowsBelowTheWatermarkAreSeenAlthoughTheOpinionExpired() {
    EventWriter writer = writer("w");
    writer.write("10:05");
    leaveForeignHeadAlone("08:30");

    assertThat(ask("08:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class, answer -> assertThat(answer.rows()).isEqualTo(1));
    writer.write("10:30");
    assertThat(ask("08:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class,
            answer -> assertThat(answer.revision()).isEqualTo(1));
  }

  /** Replaces all live files by one that reaches as far down as they did. */
  static void compact(Table table) {
    Set<DataFile> files = new HashSet<>();
    table.newScan().planFiles().forEach(task -> files.add(task.file()));
    long rows = files.stream().mapToLong(DataFile::recordCount).sum();
    List<Long> times = Collections.nCopies((int) rows, TestFiles.at("08:05"));
    table.newRewrite().rewriteFiles(files, Set.of(TestFiles.of(table, times))).commit();
  }

  /** Somebody appends, and maintenance expires all that came before. */
  private void leaveForeignHeadAlone(String time) {
    Table table = load();
    TestFiles.append(table, TestFiles.of(table, time));
    expireAllButHead(table);
  }

  private static FinalizationConfig threeCommits() {
    return EventWriter.config("w").lookback(3, Duration.ZERO).build();
  }
}

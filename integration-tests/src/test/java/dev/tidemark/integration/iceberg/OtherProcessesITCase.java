package dev.tidemark.integration.iceberg;

import static dev.tidemark.integration.iceberg.Opinions.ask;
import static dev.tidemark.integration.iceberg.Opinions.assertMirror;
import static dev.tidemark.integration.iceberg.Opinions.assertTruth;
import static dev.tidemark.integration.iceberg.Opinions.assertWatermark;
import static dev.tidemark.integration.iceberg.Opinions.hold;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Others change the table while a job writes it: by hand, by maintenance, by a rollback. */
class OtherProcessesITCase {
  @TempDir Path directory;
  private TestTable table;
  private Script<RowData> script;
  private int commits;

  @Test
  void propertySetUpAndDownBetweenCommitsFoolsNobodyAndIsHealed() throws Exception {
    try (RunningJob job = start(4)) {
      commit(job);
      setByHand("20:00");
      assertTruth(table, "08:00");
      assertThat(ask(table, "09:00")).isInstanceOf(FinalityAnswer.NotReady.class);
      commit(job);
      assertWatermark(table, "09:00");
      setByHand("01:00");
      assertTruth(table, "09:00");
      assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.Ready.class);
      commit(job);
      assertWatermark(table, "10:00");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 180));
  }

  @Test
  void propertySetUpAndDownUnderACommitIsRefusedAndDecidedAgain() throws Exception {
    try (RunningJob job = start(4)) {
      commit(job);
      table
          .faults()
          .overtake(Faults.Kind.DATA, () -> setByHand("20:00"))
          .overtake(Faults.Kind.DATA, () -> setByHand("01:00"));
      commit(job);
      assertThat(table.faults().used()).isEqualTo(2);
      assertWatermark(table, "09:00");
      assertThat(job.attempts()).isZero();
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.commits()).hasSize(2);
  }

  @Test
  void compactionIsSteppedOver() throws Exception {
    try (RunningJob job = start(4)) {
      commit(job);
      commit(job);
      ForeignRows.compact(table);
      assertThat(table.load().currentSnapshot().operation()).isEqualTo("replace");
      assertTruth(table, "09:00");
      assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.Ready.class);
      commit(job);
      assertWatermark(table, "10:00");
      assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.Ready.class);
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 180));
    assertThat(table.load().currentSnapshot().summary()).doesNotContainKey("finalization.late");
  }

  @Test
  void expiryOfEverythingButTheHeadIsSurvivedByTheJobAndByItsRestart() throws Exception {
    String savepoint;
    try (RunningJob job = start(4)) {
      commit(job);
      commit(job);
      expireAllButHead();
      commit(job);
      assertWatermark(table, "10:00");
      savepoint = job.stopWithSavepoint();
    }
    expireAllButHead();
    assertThat(table.ancestry()).hasSize(1);
    commits = 1;
    try (RunningJob job = TestCluster.shared().submit(job(), savepoint)) {
      commit(job);
      assertWatermark(table, "11:00");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 240));
  }

  @Test
  void rollbackIsRevokedHeldAndEndedByAReset() throws Exception {
    try (RunningJob job = start(5)) {
      commit(job);
      long first = table.load().currentSnapshot().snapshotId();
      commit(job);
      table.load().manageSnapshots().rollbackTo(first).commit();
      commits = 1;
      assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.Revoked.class);

      commit(job);
      assertThat(hold(table)).isEqualTo(Hold.of(Hold.Reason.ROLLED_BACK));
      assertTruth(table, "08:00");
      assertMirror(table, "09:00");
      assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.Revoked.class);

      FinalizationAdmin.of(table.load()).reset();
      assertWatermark(table, "08:00");
      assertThat(table.finality().opinion().epoch()).isEqualTo(1);
      assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.NotReady.class);

      commit(job);
      assertWatermark(table, "11:00");
      assertThat(table.finality().opinion().epoch()).isEqualTo(1);
    }
    List<Long> kept =
        Stream.concat(Events.ids(0, 60).stream(), Events.ids(120, 240).stream()).toList();
    assertThat(table.ids()).isEqualTo(kept);
  }

  @Test
  void restartAfterARollbackStillHolds() throws Exception {
    String savepoint;
    try (RunningJob job = start(3)) {
      commit(job);
      long first = table.load().currentSnapshot().snapshotId();
      commit(job);
      table.load().manageSnapshots().rollbackTo(first).commit();
      savepoint = job.stopWithSavepoint();
    }
    commits = 1;
    try (RunningJob job = TestCluster.shared().submit(job(), savepoint)) {
      commit(job);
      assertThat(hold(table)).isEqualTo(Hold.of(Hold.Reason.ROLLED_BACK));
      assertMirror(table, "09:00");
    }
    assertThat(ask(table, "08:00")).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void foreignRowsBelowTheWatermarkReopenTheirHourAtOnceAndAreReportedByTheNextCommit()
      throws Exception {
    try (RunningJob job = start(4)) {
      commit(job);
      commit(job);
      commit(job);
      assertWatermark(table, "10:00");
      ForeignRows.append(table.load(), List.of(5L, 6L, 7L));
      assertReopened("08:00", 3, 1);
      assertThat(ask(table, "09:00")).isInstanceOf(FinalityAnswer.Ready.class);
      ForeignRows.append(table.load(), List.of(900L));

      commit(job);
      assertWatermark(table, "11:00");
      assertReopened("08:00", 3, 1);
      assertThat(ask(table, "10:00")).isInstanceOf(FinalityAnswer.Ready.class);
      assertThat(table.load().currentSnapshot().summary())
          .containsEntry(
              FinalizationProperties.LATE_FOREIGN, Opinions.at("08:00").getEpochSecond() + ":3")
          .doesNotContainKey(FinalizationProperties.LATE);
    }
    List<Long> all = new ArrayList<>(Events.ids(0, 240));
    all.addAll(List.of(5L, 6L, 7L, 900L));
    assertThat(table.ids()).isEqualTo(all.stream().sorted().toList());
  }

  private void assertReopened(String hour, long rows, int revision) {
    assertThat(ask(table, hour))
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class,
            answer -> {
              assertThat(answer.rows()).isEqualTo(rows);
              assertThat(answer.revision()).isEqualTo(revision);
            });
  }

  /** A running job whose step n holds the rows of hour 8 + n. */
  private RunningJob start(int steps) throws Exception {
    table = TestTable.create(directory);
    script = Script.of();
    for (int step = 0; step < steps; step++) {
      script.add(Events.rows(step * 60, step * 60 + 60));
    }
    return TestCluster.shared().submit(job());
  }

  private StreamExecutionEnvironment job() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    return env;
  }

  private void commit(RunningJob job) throws Exception {
    job.awaitRunning();
    script.emit();
    job.checkpoint();
    table.awaitCommits(++commits);
  }

  private void setByHand(String time) {
    table
        .load()
        .updateProperties()
        .set(FinalizationProperties.WATERMARK_MS, Opinions.at(time).toEpochMilli() + "")
        .set(FinalizationProperties.WATERMARK, Opinions.at(time).toString())
        .commit();
  }

  private void expireAllButHead() {
    Table handle = table.load();
    handle.expireSnapshots().expireOlderThan(System.currentTimeMillis() + 1).retainLast(1).commit();
    commits = table.commits().size();
  }
}

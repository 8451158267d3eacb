package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store cannot say how a commit ended; it may land at any time, or never. */
class UnknownOutcomeITCase {
  @TempDir Path directory;

  @Test
  void aCommitThatLandedIsFoundWithoutARestart() throws Exception {
    TestTable table = TestTable.create(directory);
    table.faults().landAndAnswerUnknown(Faults.Kind.DATA);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    try (RunningJob job = TestCluster.shared().submit(job(table, script))) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      commitNextStep(job, script, table, 2);
      assertThat(job.attempts()).isZero();
    }
    assertExact(table);
  }

  @Test
  void aCommitThatLandsWhileItIsLookedForIsFoundWithoutARestart() throws Exception {
    // Twelve looks, 50 ms apart at least: more than a second for the test to land it.
    TestTable table =
        TestTable.create(
            directory,
            Map.of("commit.retry.min-wait-ms", "200", "commit.retry.max-wait-ms", "500"));
    table.faults().holdAndAnswerUnknown(Faults.Kind.DATA);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    try (RunningJob job = TestCluster.shared().submit(job(table, script))) {
      script.emit();
      job.checkpoint();
      await().atMost(Duration.ofSeconds(60)).until(() -> table.faults().used() == 1);
      table.faults().landHeld(table.load());
      commitNextStep(job, script, table, 2);
      assertThat(job.attempts()).isZero();
    }
    assertExact(table);
  }

  @Test
  void aCommitThatWasLostIsMadeAfterARestart() throws Exception {
    TestTable table = TestTable.create(directory);
    table.faults().loseAndAnswerUnknown(Faults.Kind.DATA);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    try (RunningJob job = TestCluster.shared().submit(job(table, script))) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      table.awaitCommits(1);
      commitNextStep(job, script, table, 2);
    }
    assertExact(table);
  }

  @Test
  void aCommitThatLandedLateIsNotMadeAgainWhenDeliveredAgain() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    String savepoint = leaveHeld(table, script);
    assertThat(table.ids()).isEmpty();
    table.faults().landHeld(table.load());
    assertThat(table.ids()).isEqualTo(Events.ids(0, 60));
    try (RunningJob job = TestCluster.shared().submit(job(table, script), savepoint)) {
      commitNextStep(job, script, table, 2);
    }
    assertExact(table);
  }

  @Test
  void aCommitThatWasMadeAgainCannotLandLate() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    String savepoint = leaveHeld(table, script);
    try (RunningJob job = TestCluster.shared().submit(job(table, script), savepoint)) {
      table.awaitCommits(1);
      assertThatThrownBy(() -> table.faults().landHeld(table.load()))
          .isInstanceOf(CommitFailedException.class);
      commitNextStep(job, script, table, 2);
    }
    assertExact(table);
  }

  @Test
  void aCommitThatNobodyCanFindAnyMoreFailsTheJobAndDoublesNothing() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    String savepoint = leaveHeld(table, script);
    table.faults().landHeld(table.load());
    forgetHistory(table);
    StreamExecutionEnvironment env = TestCluster.withoutRestarts(job(table, script));
    try (RunningJob job = TestCluster.shared().submit(env, savepoint)) {
      assertThat(job.awaitFailure())
          .contains("Cannot tell whether commit")
          .contains("the oldest snapshot kept on branch main is of")
          .contains("Committing again could duplicate rows");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 60));
  }

  @Test
  void aCheckpointWithoutRowsNeedsNoHistory() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(job(table, script))) {
      commitNextStep(job, script, table, 1);
      savepoint = job.stopWithSavepoint();
    }
    forgetHistory(table);
    StreamExecutionEnvironment env = TestCluster.withoutRestarts(job(table, script));
    try (RunningJob job = TestCluster.shared().submit(env, savepoint)) {
      commitNextStep(job, script, table, 1);
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T09:00:00Z");
  }

  /** A job that stops while the commit of its only step is on its way; returns its savepoint. */
  private static String leaveHeld(TestTable table, Script<RowData> script) throws Exception {
    StreamExecutionEnvironment env = TestCluster.withoutRestarts(job(table, script));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      table.faults().holdAndAnswerUnknown(Faults.Kind.DATA);
      return job.failStoppingWithSavepoint();
    }
  }

  /** Somebody else commits, and all snapshots before that are expired. */
  private static void forgetHistory(TestTable table) {
    Table handle = table.load();
    DataFile empty =
        DataFiles.builder(handle.spec())
            .withPath(handle.location() + "/data/none.parquet")
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(1)
            .withRecordCount(0)
            .build();
    handle.newAppend().appendFile(empty).commit();
    handle.newDelete().deleteFile(empty).commit();
    handle
        .expireSnapshots()
        .expireOlderThan(Instant.now().plusSeconds(60).toEpochMilli())
        .retainLast(1)
        .commit();
    assertThat(table.ancestry()).hasSize(1);
  }

  private static StreamExecutionEnvironment job(TestTable table, Script<RowData> script)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    return env;
  }

  private static void commitNextStep(
      RunningJob job, Script<RowData> script, TestTable table, int commits) throws Exception {
    job.awaitRunning();
    script.emit();
    job.checkpoint();
    table.awaitCommits(commits);
  }

  private static void assertExact(TestTable table) {
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.commits())
        .extracting(s -> s.summary().get("finalization.event-time.count"))
        .containsExactly("60", "60");
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T09:00:00Z");
  }
}

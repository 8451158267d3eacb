package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.commit.MirrorMode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process dies before, within and after a commit: rows exact, marked exactly once. */
class CrashITCase {
  private static final Instant NINE = Instant.parse("2026-01-01T09:00:00Z");

  @TempDir Path directory;

  @Test
  void aCrashBeforeTheCommitLosesAndDoublesNothing() throws Exception {
    TestTable table = TestTable.create(directory);
    table.faults().crashBefore(Faults.Kind.DATA).refuse(Faults.Kind.DATA);
    commitTwoSteps(table, 2);
    assertMarkedOnce(table);
  }

  @Test
  void aCrashAfterTheCommitMarksExactlyOnce() throws Exception {
    TestTable table = TestTable.create(directory);
    table.faults().crashAfter(Faults.Kind.DATA);
    commitTwoSteps(table, 1);
    assertMarkedOnce(table);
  }

  @Test
  void anOrdinaryExceptionAfterTheCommitMarksExactlyOnce() throws Exception {
    TestTable table = TestTable.create(directory);
    table.faults().landAndFail(Faults.Kind.DATA);
    commitTwoSteps(table, 1);
    assertMarkedOnce(table);
  }

  @Test
  void nothingCanComeBetweenSnapshotAndPropertyInTheSameCommit() throws Exception {
    TestTable table = TestTable.create(directory);
    table.faults().crashAfter(Faults.Kind.DATA);
    commitTwoSteps(table, 1);
    List<TableMetadata> versions = versions(table);
    // Created, writer registered, two checkpoints.
    assertThat(versions).hasSize(4);
    for (TableMetadata version : versions.subList(1, 4)) {
      Map<String, String> summary = version.currentSnapshot().summary();
      assertThat(version.properties().get(FinalizationProperties.WATERMARK_MS))
          .isEqualTo(summary.get(FinalizationProperties.WATERMARK_MS));
      assertThat(version.properties())
          .containsEntry(
              FinalizationProperties.SNAPSHOT_ID, version.currentSnapshot().snapshotId() + "");
    }
  }

  @Test
  void readersAnswerFromTheTruthWhileTheMirrorLagsAndARestartHealsItOnce() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(postCommit(table, script))) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      script.emit();
      table.faults().crashBefore(Faults.Kind.MIRROR);
      savepoint = job.failStoppingWithSavepoint();
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T08:00:00Z");
    assertThat(table.finality().answerAt(Events.START)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(table.finality().opinion().watermarkMillis()).isEqualTo(NINE.toEpochMilli());

    int versions = table.metadataVersions();
    try (RunningJob job = TestCluster.shared().submit(postCommit(table, script), savepoint)) {
      job.awaitRunning();
      assertThat(table.properties())
          .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T09:00:00Z");
      job.stopWithSavepoint();
    }
    assertThat(table.metadataVersions()).isEqualTo(versions + 1);
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.commits()).hasSize(2);
  }

  private static StreamExecutionEnvironment postCommit(TestTable table, Script<RowData> script)
      throws Exception {
    StreamExecutionEnvironment env =
        TestCluster.withoutRestarts(TestCluster.shared().environment(2));
    Events.sink(env, script, table).mirrorMode(MirrorMode.POST_COMMIT).append();
    return env;
  }

  /** A job that commits ids 0–59 and 60–119, the first against this many faults. */
  private static void commitTwoSteps(TestTable table, int restarts) throws Exception {
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(restarts);
      assertThat(table.faults().used()).isEqualTo(restarts);
      table.awaitCommits(1);
      assertThat(table.ids()).isEqualTo(Events.ids(0, 60));
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      assertThat(job.attempts()).isEqualTo(restarts);
    }
  }

  /** One commit per checkpoint, hour 8 final after the second, facts of every row once. */
  private static void assertMarkedOnce(TestTable table) {
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    List<Snapshot> commits = table.commits();
    assertThat(commits)
        .extracting(s -> s.summary().get("finalization.event-time.count"))
        .containsExactly("60", "60");
    assertThat(commits)
        .extracting(s -> s.summary().get(FinalizationProperties.WATERMARK))
        .containsExactly("2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z");
    assertThat(commits)
        .extracting(s -> s.summary().get(FinalizationProperties.COMMIT_ID))
        .doesNotHaveDuplicates();
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T09:00:00Z");
  }

  /** Every metadata version, oldest first. */
  private static List<TableMetadata> versions(TestTable table) {
    TableOperations operations = ((BaseTable) table.load()).operations();
    List<TableMetadata> versions = new ArrayList<>();
    operations
        .current()
        .previousFiles()
        .forEach(entry -> versions.add(TableMetadataParser.read(operations.io(), entry.file())));
    versions.add(operations.current());
    return versions;
  }
}

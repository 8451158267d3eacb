package dev.tidemark.integration.iceberg;

import static dev.tidemark.integration.iceberg.Opinions.assertTruth;
import static dev.tidemark.integration.iceberg.Opinions.assertWatermark;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.IcebergFinality;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job on a branch beside one on main, and a tag. */
class BranchITCase {
  @TempDir Path directory;

  @Test
  void branchHasItsOwnTruthAndTheMirrorBelongsToMain() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> main =
        Script.of(Events.rows(0, 60), Events.rows(60, 120), Events.rows(240, 300));
    Script<RowData> audit = Script.of(Events.rows(120, 180), Events.rows(180, 240));
    try (RunningJob onMain = submit(table, main, "main")) {
      commit(onMain, main, table, 1);
      table
          .load()
          .manageSnapshots()
          .createTag("first", table.load().currentSnapshot().snapshotId())
          .commit();
      try (RunningJob onBranch = submit(table, audit, "audit")) {
        onBranch.awaitRunning();
        audit.emit();
        onBranch.checkpoint();
        awaitBranch(table, "10:00");
        audit.emit();
        onBranch.checkpoint();
        awaitBranch(table, "11:00");
        commit(onMain, main, table, 2);
      }
      assertWatermark(table, "09:00");
      assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
      List<Long> onBranch =
          Stream.concat(Events.ids(0, 60).stream(), Events.ids(120, 240).stream()).toList();
      assertThat(ids(table, "audit")).isEqualTo(onBranch);
      assertThat(read(table, "audit").answerAt(Opinions.at("10:00")))
          .isInstanceOf(FinalityAnswer.Ready.class);

      assertThat(read(table, "first").opinion().watermarkMillis())
          .isEqualTo(Opinions.at("08:00").toEpochMilli());
      assertThat(ids(table, "first")).isEqualTo(Events.ids(0, 60));
    }
  }

  @Test
  void mainGoesOnFromTheTruthOfTheBranchItWasForwardedTo() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> main = Script.of(Events.rows(0, 60), Events.rows(180, 240));
    Script<RowData> audit = Script.of(Events.rows(60, 120), Events.rows(120, 180));
    try (RunningJob onMain = submit(table, main, "main")) {
      commit(onMain, main, table, 1);
      try (RunningJob onBranch = submit(table, audit, "audit")) {
        onBranch.awaitRunning();
        audit.emit();
        onBranch.checkpoint();
        awaitBranch(table, "09:00");
        audit.emit();
        onBranch.checkpoint();
        awaitBranch(table, "10:00");
      }
      table.load().manageSnapshots().fastForwardBranch("main", "audit").commit();
      assertTruth(table, "10:00");
      commit(onMain, main, table, 4);
      assertWatermark(table, "11:00");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 240));
  }

  private static void awaitBranch(TestTable table, String time) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              Snapshot head = table.load().snapshot("audit");
              return head != null
                  && Opinions.at(time)
                      .toString()
                      .equals(head.summary().get(FinalizationProperties.WATERMARK));
            });
  }

  private static TableFinality read(TestTable table, String ref) {
    return IcebergFinality.of(table.load(), ref, Clock.systemUTC()).read();
  }

  private static List<Long> ids(TestTable table, String ref) {
    List<Record> rows = table.records(table.load().snapshot(ref));
    return rows.stream().map(row -> (Long) row.getField("id")).sorted().toList();
  }

  private static void commit(RunningJob job, Script<RowData> script, TestTable table, int commits)
      throws Exception {
    script.emit();
    job.checkpoint();
    table.awaitCommits(commits);
  }

  private static RunningJob submit(TestTable table, Script<RowData> script, String branch)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).toBranch(branch).append();
    return TestCluster.shared().submit(env);
  }
}

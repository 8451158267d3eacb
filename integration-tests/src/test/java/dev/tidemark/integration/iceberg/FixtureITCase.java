package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import java.nio.file.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fixture itself keeps its promises: steps, replay, savepoints and faults. */
class FixtureITCase {
  @TempDir Path directory;

  @Test
  void everyStepIsACommitOfItsOwn() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 10), Events.rows(10, 70));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      assertThat(table.ids()).isEqualTo(Events.ids(0, 10));
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      assertThat(table.ids()).isEqualTo(Events.ids(0, 70));
      script.add(Events.rows(70, 71)).emit();
      String savepoint = job.stopWithSavepoint();
      assertThat(table.ids()).isEqualTo(Events.ids(0, 71));
      assertThat(savepoint).isNotEmpty();
    }
  }

  @Test
  void aFailureOfTheSourceReplaysFromTheLastCheckpoint() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of(Events.rows(0, 10), Events.rows(10, 40)).failOnceAt(6);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      script.emit();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      table.awaitCommits(2);
      assertThat(table.ids()).isEqualTo(Events.ids(0, 40));
    }
  }
}

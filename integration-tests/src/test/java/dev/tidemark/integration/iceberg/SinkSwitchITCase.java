package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.apache.iceberg.flink.sink.SinkUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A commit that one sink made, delivered again to the other. */
class SinkSwitchITCase {
  @TempDir Path directory;

  private TestTable table;
  private final Script<RowData> script =
      Script.of(Events.rows(0, 40), Events.rows(40, 60), Events.rows(60, 100));

  @BeforeEach
  void createTable() throws Exception {
    table = TestTable.create(directory);
  }

  @Test
  void theStockSinkDoesNotRepeatWhatOursCommitted() throws Exception {
    String savepoint = loseTheAnswer(ours());
    assertThat(table.ids()).isEqualTo(Events.ids(0, 40));
    goOn(stock(), savepoint, 2);
  }

  @Test
  void oursDoesNotRepeatWhatTheStockSinkCommitted() throws Exception {
    String savepoint = loseTheAnswer(stock());
    assertThat(table.ids()).isEqualTo(Events.ids(0, 40));
    goOn(ours(), savepoint, 2);
  }

  @Test
  void oursDoesNotRepeatItsOwnCommitThatTheStockSinkMade() throws Exception {
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(ours())) {
      script.emit();
      savepoint = job.savepoint();
    }
    assertThat(table.ids()).isEmpty();
    try (RunningJob job = TestCluster.shared().submit(stock(), savepoint)) {
      job.awaitRunning();
      table.awaitCommits(1);
    }
    goOn(ours(), savepoint, 2);
  }

  @Test
  void lateRowsThatTheStockSinkLeftPendingReopenTheirHour() throws Exception {
    Script<RowData> late =
        Script.of(Events.rows(60, 120), List.of(Events.row(120, Events.timeOf(30))));
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(ours(late))) {
      late.emit();
      savepoint = job.stopWithSavepoint();
    }
    assertThat(table.finality().answerAt(Events.START)).isInstanceOf(FinalityAnswer.Ready.class);
    try (RunningJob job = TestCluster.shared().submit(stock(late), savepoint)) {
      job.awaitRunning();
      late.emit();
      savepoint = job.savepoint();
    }
    try (RunningJob job = TestCluster.shared().submit(ours(late), savepoint)) {
      job.awaitRunning();
      table.awaitCommits(2);
    }
    assertThat(table.finality().answerAt(Events.START))
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class, answer -> assertThat(answer.rows()).isEqualTo(1));
  }

  @Test
  void severalPendingCommitsOfOursAreMadeInTheirOrder() throws Exception {
    goOn(ours(), leaveTwoPending(ours()), 3);
    assertThat(table.commits())
        .extracting(commit -> commit.summary().get("finalization.event-time.count"))
        .containsExactly("40", "20", "40");
    assertThat(table.commits())
        .extracting(commit -> commit.summary().get(SinkUtil.MAX_COMMITTED_CHECKPOINT_ID))
        .isSorted();
  }

  @Test
  void severalPendingCommitsMoveToTheOtherSink() throws Exception {
    goOn(stock(), leaveTwoPending(ours()), 3);
  }

  @Test
  void severalPendingCommitsOfTheStockSinkMoveToOurs() throws Exception {
    goOn(ours(), leaveTwoPending(stock()), 3);
  }

  /** A job that commits nothing: two savepoints beside it, the second with two commits to make. */
  private String leaveTwoPending(StreamExecutionEnvironment env) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.savepoint();
      script.emit();
      return job.savepoint();
    }
  }

  /** A job that commits the first step as it stops, and does not hear of it. */
  private String loseTheAnswer(StreamExecutionEnvironment env) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      table.faults().crashAfter(Faults.Kind.DATA);
      return job.failStoppingWithSavepoint();
    }
  }

  /** A job that starts from there and commits all other steps at once as it stops. */
  private void goOn(StreamExecutionEnvironment env, String savepoint, int commits)
      throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env, savepoint)) {
      job.awaitRunning();
      script.releaseAll().awaitEmitted();
      job.stopWithSavepoint();
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 100));
    assertThat(table.commits()).hasSize(commits);
  }

  private StreamExecutionEnvironment ours() throws Exception {
    return ours(script);
  }

  private StreamExecutionEnvironment ours(Script<RowData> rows) throws Exception {
    StreamExecutionEnvironment env =
        TestCluster.withoutRestarts(TestCluster.shared().environment(1));
    Events.sink(env, rows, table).append();
    return env;
  }

  private StreamExecutionEnvironment stock() throws Exception {
    return stock(script);
  }

  private StreamExecutionEnvironment stock(Script<RowData> rows) throws Exception {
    StreamExecutionEnvironment env =
        TestCluster.withoutRestarts(TestCluster.shared().environment(1));
    IcebergSink.forRowData(ScriptedRows.unbounded(env, rows, EmbeddedCatalog.EVENTS))
        .tableLoader(table.loader())
        .uidSuffix("events")
        .append();
    return env;
  }
}

package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.flink.sink.SinkUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Input that ends, in every mode of execution, and checkpoints without rows. */
class EndOfInputITCase {
  private static final Duration OFTEN = Duration.ofMillis(100);
  private static final int ROWS = 1_000;

  @TempDir Path directory;

  private TestTable table;
  private final Script<RowData> script = Script.of(Events.rows(0, 400), Events.rows(400, ROWS));

  @BeforeEach
  void createTable() throws Exception {
    table = TestTable.create(directory);
  }

  @Test
  void theTailOfABoundedStreamIsCommitted() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    Events.boundedSink(env, script, table).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      table.awaitCommits(1);
      script.release();
      job.awaitFinished();
    }
    assertComplete();
  }

  @Test
  void aBoundedStreamThatFailsInTheMiddleIsExact() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    Events.boundedSink(env, script, table).inputIsComplete().append();
    script.failOnceAt(150);
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      table.awaitCommits(1);
      script.release();
      job.awaitFinished();
    }
    assertComplete();
    assertThat(watermark()).isEqualTo("2026-01-02T01:00:00Z");
  }

  @Test
  void inputThatIsDeclaredCompleteClosesItsLastHour() throws Exception {
    runToTheEnd(TestCluster.shared().environment(2, OFTEN), true);
    // The last row is of 2026-01-02T00:39.
    assertThat(watermark()).isEqualTo("2026-01-02T01:00:00Z");
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-02T01:00:00Z");
  }

  @Test
  void inputThatOnlyEndsLeavesItsLastHourOpen() throws Exception {
    runToTheEnd(TestCluster.shared().environment(2, OFTEN), false);
    String watermark = watermark();
    assertThat(watermark).isLessThanOrEqualTo("2026-01-02T00:00:00Z");
    assertThat(table.properties()).containsEntry(FinalizationProperties.WATERMARK, watermark);
  }

  @Test
  void aDrainThatIsNotDeclaredCompleteLeavesTheHoursOpen() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.drain();
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 400));
    assertThat(watermark()).isEqualTo("2026-01-01T08:00:00Z");
  }

  @Test
  void withoutCheckpointsEverythingIsOneCommitAtTheEnd() throws Exception {
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2), true);
    assertThat(table.commits()).hasSize(1);
    assertThat(watermark()).isEqualTo("2026-01-02T01:00:00Z");
  }

  @Test
  void withoutCheckpointsAFailureIsExact() throws Exception {
    script.failOnceAt(150);
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2), true);
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void withoutCheckpointsACommitWhoseAnswerWasLostIsNotMadeAgain() throws Exception {
    table.faults().crashAfter(Faults.Kind.DATA);
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2), true);
    assertThat(table.commits()).hasSize(1);
    assertThat(watermark()).isEqualTo("2026-01-02T01:00:00Z");
  }

  @Test
  void aBatchIsOneCommit() throws Exception {
    runToTheEnd(batch(), true);
    assertThat(table.commits()).hasSize(1);
    assertThat(watermark()).isEqualTo("2026-01-02T01:00:00Z");
  }

  @Test
  void aBatchWhoseCommitFailedIsCommittedOnce() throws Exception {
    table.faults().crashBefore(Faults.Kind.DATA);
    runToTheEnd(batch(), true);
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void aBatchWhoseAnswerWasLostIsNotCommittedAgain() throws Exception {
    table.faults().crashAfter(Faults.Kind.DATA);
    runToTheEnd(batch(), true);
    assertThat(table.commits()).hasSize(1);
    assertThat(watermark()).isEqualTo("2026-01-02T01:00:00Z");
  }

  @Test
  void checkpointsWithoutRowsAreSkippedButForEveryTenth() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      long tenth = 0;
      for (int i = 0; i < 10; i++) {
        tenth = job.checkpoint();
      }
      table.awaitCommits(2);
      assertThat(table.commits().get(1).summary())
          .containsEntry(SinkUtil.MAX_COMMITTED_CHECKPOINT_ID, Long.toString(tenth))
          .containsEntry("finalization.event-time.count", "0")
          .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T08:00:00Z");
      script.emit();
      job.checkpoint();
      table.awaitCommits(3);
      assertThat(table.ids()).isEqualTo(Events.ids(0, ROWS));
    }
  }

  private static StreamExecutionEnvironment batch() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    return env;
  }

  private void runToTheEnd(StreamExecutionEnvironment env, boolean declaredComplete)
      throws Exception {
    TidemarkIcebergSink sink = Events.boundedSink(env, script, table);
    (declaredComplete ? sink.inputIsComplete() : sink).append();
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    assertComplete();
  }

  private void assertComplete() {
    assertThat(table.ids()).isEqualTo(Events.ids(0, ROWS));
    assertThat(
            table.commits().stream()
                .mapToLong(c -> Long.parseLong(c.summary().get("finalization.event-time.count")))
                .sum())
        .isEqualTo(ROWS);
  }

  private String watermark() {
    return table.load().currentSnapshot().summary().get(FinalizationProperties.WATERMARK);
  }
}

package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.flink.testing.MemoryTable.Fault;
import dev.tidemark.pinot.segment.StagedSegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The promises of the sink function, cell by cell, and its refusals. */
class PinotSinkFunctionITCase {
  private static final Duration OFTEN = Duration.ofMillis(100);

  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();
  private final Script<Integer> script = Script.of(Orders.ids(0, 100), Orders.ids(100, 200));

  @AfterEach
  void noRuleWasBroken() {
    assertThat(table.violations()).isEmpty();
    assertThat(table.faultsLeft()).isZero();
  }

  @Test
  void everySubtaskPublishesWhenACheckpointIsComplete() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, script));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      assertThat(table.commits()).isEmpty();
      job.checkpoint();
      table.awaitCommits(2);
      assertThat(table.values("id")).isEqualTo(Orders.ids(0, 100));
      script.emit();
    }
    assertThat(table.commits()).hasSize(2);
    assertThat(table.commits().stream().map(commit -> commit.run().id().replaceAll("-s.$", "")))
        .as("one run, a part of it in each subtask")
        .containsOnly(table.commits().get(0).run().id().replaceAll("-s.$", ""));
    assertThat(table.commits().stream().map(commit -> commit.run().id())).doesNotHaveDuplicates();
  }

  @Test
  void aCrashBeforeAPublishIsMadeGood() throws Exception {
    crash(Fault.CRASH_BEFORE);
  }

  @Test
  void aCrashAfterAPublishDoublesNothing() throws Exception {
    crash(Fault.CRASH_AFTER);
  }

  private void crash(Fault fault) throws Exception {
    table.next(Fault.NONE, fault);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, script));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      job.awaitRestarted(1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(4);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
  }

  @Test
  void aCrashBetweenCheckpointsIsExact() throws Exception {
    script.failOnceAt(30);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, script));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      table.awaitCommits(4);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
  }

  @Test
  void theTailOfABoundedStreamIsPublished() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    addSink(Orders.bounded(env, script));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      awaitRows(100);
      table.next(Fault.CRASH_AFTER);
      script.release();
      job.awaitFinished();
      assertThat(job.attempts()).isPositive();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
  }

  /** One subtask publishes its last rows and has finished, the other one crashes as it does so. */
  @Test
  void aCrashAtTheEndIsMadeGoodThoughAnotherSubtaskHasFinished() throws Exception {
    table.next(Fault.CRASH_AFTER);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    Orders.bounded(env, script)
        .addSink(Orders.sink(table, directory).commitInterval(Duration.ofHours(1)).buildFunction())
        .uid("pinot");
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
    assertThat(table.faultsLeft()).isZero();
  }

  @Test
  void aFailureBeforeTheFirstCommitAfterARewindDoublesNothing() throws Exception {
    Script<Integer> steps =
        Script.of(Orders.ids(0, 100), Orders.ids(100, 200), Orders.ids(200, 300));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, steps), 1);
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(env)) {
      steps.emit();
      savepoint = job.savepoint();
      steps.emit();
      job.checkpoint();
      awaitRows(200);
    }
    // The savepoint was checkpoint 1; the life after it commits at the fourth for the first time.
    StreamExecutionEnvironment next = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(next, steps), 4);
    try (RunningJob job = TestCluster.shared().submit(next, savepoint)) {
      job.awaitRunning();
      steps.awaitEmitted();
      job.checkpoint();
      job.checkpoint();
      steps.failOnceAt(60).release();
      job.awaitRestarted(1);
      steps.awaitEmitted();
      job.checkpoint();
      awaitRows(300);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 300));
  }

  @Test
  void aRewindAfterWhichNoRowComesRemovesWhatWasPublished() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, script), 1);
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(env)) {
      savepoint = job.savepoint();
      script.emit();
      job.checkpoint();
      awaitRows(100);
    }
    StreamExecutionEnvironment next = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(next, Script.of(List.of())), 1);
    try (RunningJob job = TestCluster.shared().submit(next, savepoint)) {
      job.checkpoint();
      await().atMost(Duration.ofSeconds(60)).until(() -> table.values("id").isEmpty());
    }
  }

  @Test
  void aSubtaskFinishesWhileAnotherGoesOn() throws Exception {
    Script<Integer> steps =
        Script.of(Orders.ids(0, 100), Orders.ids(100, 200), Orders.ids(200, 204));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    addSink(Orders.bounded(env, steps));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      steps.emit();
      steps.endEarly(0, 2);
      job.awaitAFinishedTask();
      steps.releaseAll();
      job.awaitFinished();
    }
    assertThat(table.values("id"))
        .isEqualTo(Orders.ids(0, 204).stream().filter(id -> id < 100 || id % 2 == 1).toList());
  }

  @Test
  void aBufferThatIsTooOldIsClosedBetweenCommits() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    Orders.unbounded(env, script)
        .addSink(
            Orders.sink(table, directory)
                .commitInterval(Duration.ofHours(1))
                .segmentAge(Duration.ofNanos(1))
                .buildFunction())
        .uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      script.emit();
      job.drain();
    }
    assertThat(table.segments()).hasSize(2);
  }

  @Test
  void rescalesWithRowsInTheState() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script)
        .addSink(
            Orders.sink(table, directory)
                .commitInterval(Duration.ofHours(1))
                .segmentRows(9)
                .buildFunction())
        .uid("pinot");
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      savepoint = job.stopWithSavepoint();
    }
    assertThat(table.commits()).isEmpty();
    StreamExecutionEnvironment next = TestCluster.shared().environment(3);
    addSink(Orders.unbounded(next, script));
    try (RunningJob job = TestCluster.shared().submit(next, savepoint)) {
      script.emit();
      job.drain();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
  }

  @Test
  void withoutCheckpointsAllIsPublishedAtTheEnd() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    runToTheEnd(env);
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
    assertThat(table.commits()).hasSize(2);
  }

  @Test
  void withoutCheckpointsAFailureAtTheEndIsAtLeastOnce() throws Exception {
    table.next(Fault.CRASH_AFTER);
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2));
    assertThat(table.values("id").stream().distinct().toList()).isEqualTo(Orders.ids(0, 200));
  }

  @Test
  void aBatchIsPublishedAtTheEnd() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    runToTheEnd(env);
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 200));
  }

  @Test
  void fewerSubtasksOwnSeveralPartitionsEach() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(3);
    PinotPartitioning byKey = PinotPartitioning.kafka(4, KeySerializer.string(), "id");
    PinotPartitioning.partitionByPrimaryKey(
            Orders.bounded(env, script), new Orders.UpsertRow(), byKey)
        .addSink(Orders.upsertSink(table, directory).buildFunction());
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    assertThat(table.segments()).extracting(StagedSegment::partition).contains(0, 1, 2, 3);
    assertThat(table.segments())
        .allSatisfy(
            segment ->
                assertThat(table.rows(segment.name()))
                    .extracting(row -> byKey.partition(List.of(row.getValue("id"))))
                    .containsOnly(Objects.requireNonNull(segment.partition())));
    assertThat(table.values("v")).hasSize(200).doesNotHaveDuplicates();
  }

  @Test
  void aCancelledJobPublishesNothingOfAnOpenBuffer() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, script));
    RunningJob job = TestCluster.shared().submit(env);
    script.emit();
    job.cancel();
    assertThat(table.commits()).isEmpty();
  }

  @Test
  void endOfInputWithoutTheLastCheckpointIsRefused() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    env.configure(EndOfInputITCase.withoutTheLastCheckpoint());
    addSink(Orders.bounded(env, script));
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      assertThat(job.awaitFailure())
          .contains("checkpoints-after-tasks-finish")
          .contains("would be lost");
      assertThat(job.attempts()).isZero();
    }
  }

  @Test
  void aRefusedTableFailsTheJobForGood() throws Exception {
    table.refuse("Cannot publish to a_OFFLINE: for a test");
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    addSink(Orders.unbounded(env, script));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      assertThat(job.awaitFailure()).contains("Cannot publish to a_OFFLINE: for a test");
      assertThat(job.attempts()).isZero();
    }
  }

  @Test
  void finalizationNeedsASingleCommitter() {
    PinotSinkBuilder<Integer> finalizing =
        Orders.sink(table, directory)
            .eventTime(number -> number)
            .finalization(FinalizationConfig.forWriter("w").build());
    assertThatThrownBy(finalizing::buildFunction)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sinkTo");
  }

  private void addSink(DataStream<Integer> stream, int commitEvery) {
    stream
        .addSink(
            Orders.sink(table, directory)
                .commitEveryCheckpoints(commitEvery)
                .segmentRows(9)
                .buildFunction())
        .uid("pinot");
  }

  private void awaitRows(int rows) {
    await().atMost(Duration.ofSeconds(60)).until(() -> table.values("id").size() >= rows);
  }

  private void addSink(DataStream<Integer> stream) {
    stream.addSink(Orders.sink(table, directory).segmentRows(9).buildFunction()).uid("pinot");
  }

  private void runToTheEnd(StreamExecutionEnvironment env) throws Exception {
    addSink(Orders.bounded(env, script));
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    assertThat(table.commits().stream().map(PinotCommit::delivery))
        .allMatch(delivery -> !delivery.inputEnded());
  }
}

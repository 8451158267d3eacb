package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.accumulator.LongRange;
import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.flink.testing.MemoryTable.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stream with checkpoints: exactly once, whatever fails. */
class CheckpointedStreamITCase {
  private static final Duration OFTEN = Duration.ofMillis(50);

  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();

  @AfterEach
  void noRuleWasBroken() {
    assertThat(table.violations()).isEmpty();
    assertThat(table.faultsLeft()).isZero();
  }

  @Test
  void rowsAppearWithTheCheckpointThatCoversThem() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 10), Orders.ids(10, 20));
    try (RunningJob job = start(script, 2)) {
      script.emit();
      assertThat(table.commits()).isEmpty();
      long checkpoint = job.checkpoint();
      table.awaitCommits(1);
      script.emit();
      assertThat(table.values("id")).isEqualTo(Orders.ids(0, 10));
      PinotCommit commit = table.commitsWithRows().get(0);
      assertThat(commit.checkpointId()).isEqualTo(checkpoint);
      assertThat(commit.delivery()).isEqualTo(new PinotCommit.Delivery(false, false));
      job.checkpoint();
      table.awaitCommits(2);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 20));
    assertThat(table.values("v")).hasSize(20).startsWith(0, 10, 20);
  }

  @Test
  void fullBuffersBecomeSegmentsOfTheNextCommit() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 20));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    sinkTo(env, script, Orders.sink(table, directory).segmentRows(3));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(table.segments()).hasSize(7).allMatch(segment -> segment.rows() <= 3);
    assertThat(table.commitsWithRows()).hasSize(1);
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 20));
  }

  /** Case 1: ids 1 to 10, a checkpoint after 6, roll at 3, crash after 8. */
  @Test
  void aCrashBetweenCheckpointsLosesAndDoublesNothing() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(1, 7), Orders.ids(7, 9), Orders.ids(9, 11));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    sinkTo(env, script, Orders.sink(table, directory).segmentRows(3));
    // The source's first split gets every fourth row; its third is emitted after the crash alone.
    script.failOnceAt(2);
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      script.emit();
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      table.awaitCommits(2);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(1, 11));
  }

  @Test
  void aCrashBeforeTheCommitIsMadeGood() throws Exception {
    crash(Fault.CRASH_BEFORE);
  }

  @Test
  void aCrashAfterTheCommitDoublesNothing() throws Exception {
    crash(Fault.CRASH_AFTER);
  }

  @Test
  void aTableThatIsDownIsTriedAgainAfterARestore() throws Exception {
    table.next(Fault.UNAVAILABLE, Fault.UNAVAILABLE);
    Script<Integer> script = Script.of(Orders.ids(0, 40));
    try (RunningJob job = start(script, 2)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 40));
  }

  private void crash(Fault fault) throws Exception {
    table.next(Fault.NONE, fault);
    Script<Integer> script = Script.of(Orders.ids(0, 10), Orders.ids(10, 40), Orders.ids(40, 50));
    try (RunningJob job = start(script, 2)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      job.awaitRestarted(1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(3);
    }
    assertThat(table.commitsWithRows()).hasSize(3);
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 50));
  }

  @Test
  void betweenCommitsRowsLiveInTheState() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 10), Orders.ids(10, 20), Orders.ids(20, 30));
    script.failOnceAt(6);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    sinkTo(env, script, Orders.sink(table, directory).commitEveryCheckpoints(3).segmentRows(4));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      script.emit();
      job.checkpoint();
      assertThat(table.commits()).isEmpty();
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(table.commitsWithRows()).hasSize(1);
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 30));
  }

  @Test
  void factsSpeakOfExactlyTheRowsOfTheirCommit() throws Exception {
    LongRangeAccumulatorFactory<Integer> ids =
        new LongRangeAccumulatorFactory<>("id", Integer::longValue);
    Script<Integer> script = Script.of(Orders.ids(0, 20), Orders.ids(20, 40), Orders.ids(40, 60));
    script.failOnceAt(11);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    sinkTo(
        env,
        script,
        Orders.sink(table, directory).commitEveryCheckpoints(2).segmentRows(7).accumulator(ids));
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.drain();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 60));
    assertThat(table.commitsWithRows())
        .extracting(commit -> range(ids, commit))
        .containsExactly(new LongRange(40, 0, 0, 39), new LongRange(20, 0, 40, 59));
  }

  private static LongRange range(LongRangeAccumulatorFactory<Integer> ids, PinotCommit commit) {
    return ids.codec().decode(Objects.requireNonNull(commit.accumulated().get(ids.name())));
  }

  @Test
  void aCancelledJobPublishesNothingOfAnOpenBuffer() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 10), Orders.ids(10, 20));
    RunningJob job = start(script, 2);
    script.emit();
    job.checkpoint();
    table.awaitCommits(1);
    script.emit();
    job.cancel();
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 10));
  }

  @Test
  void checkpointsWithoutRowsMakeNoSegments() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 10));
    try (RunningJob job = start(script, 2)) {
      job.checkpoint();
      script.emit();
      job.checkpoint();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(table.commitsWithRows()).hasSize(1);
    assertThat(table.segments()).hasSize(2);
  }

  @Test
  void frequentCheckpointsOverFailuresAreExact() throws Exception {
    table.next(Fault.CRASH_AFTER, Fault.NONE, Fault.UNAVAILABLE);
    Script<Integer> script =
        Script.of(Orders.ids(0, 200), Orders.ids(200, 400), Orders.ids(400, 600));
    StreamExecutionEnvironment env = TestCluster.shared().environment(3, OFTEN);
    Orders.bounded(env, script)
        .sinkTo(Orders.sink(table, directory).segmentRows(50).build())
        .uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      table.awaitCommits(1);
      script.emit();
      table.awaitCommits(2);
      script.release();
      job.awaitFinished();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 600));
  }

  private RunningJob start(Script<Integer> script, int parallelism) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(parallelism);
    sinkTo(env, script, Orders.sink(table, directory));
    return TestCluster.shared().submit(env);
  }

  private static void sinkTo(
      StreamExecutionEnvironment env, Script<Integer> script, PinotSinkBuilder<Integer> sink) {
    Orders.unbounded(env, script).sinkTo(sink.build()).uid("pinot");
  }
}

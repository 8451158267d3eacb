package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.ScriptedSource;
import dev.tidemark.flink.testing.SimulatedFailure;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.flink.testing.MemoryTable.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Input that ends, in every mode of execution. */
class EndOfInputITCase {
  private static final Duration OFTEN = Duration.ofMillis(100);
  private static final int ROWS = 1_000;

  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();
  private final Script<Integer> script = Script.of(Orders.ids(0, 400), Orders.ids(400, ROWS));

  @AfterEach
  void noRuleWasBroken() {
    assertThat(table.violations()).isEmpty();
    assertThat(table.faultsLeft()).isZero();
  }

  @Test
  void theTailOfABoundedStreamIsPublished() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    sinkTo(env);
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      table.awaitCommits(1);
      script.release();
      job.awaitFinished();
    }
    assertComplete();
    assertThat(lastCommit().delivery().inputEnded()).isTrue();
    assertThat(lastCommit().checkpointId()).isLessThan(Long.MAX_VALUE);
  }

  @Test
  void aRunThatGoesOnAfterADrainKeepsWhatTheDrainPublished() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).build()).uid("pinot");
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      savepoint = job.drain();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 400));
    StreamExecutionEnvironment next = TestCluster.shared().environment(2);
    Orders.unbounded(next, script).sinkTo(Orders.sink(table, directory).build()).uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(next, savepoint)) {
      script.emit();
      job.drain();
    }
    assertComplete();
  }

  @Test
  void aFailureOfTheLastCommitIsMadeGood() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    sinkTo(env);
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      await().atMost(Duration.ofSeconds(60)).until(() -> table.values("id").size() == 400);
      table.next(Fault.CRASH_AFTER);
      script.release();
      job.awaitFinished();
      assertThat(job.attempts()).isPositive();
    }
    assertComplete();
    assertThat(lastCommit().delivery().inputEnded()).isTrue();
  }

  @Test
  void aDrainPublishesAll() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).build()).uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.releaseAll();
      script.awaitEmitted();
      job.drain();
    }
    assertComplete();
  }

  @Test
  void aStopWithoutDrainKeepsTheRowsForTheRestore() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script)
        .sinkTo(Orders.sink(table, directory).commitEveryCheckpoints(100).build())
        .uid("pinot");
    String savepoint;
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.releaseAll();
      script.awaitEmitted();
      savepoint = job.stopWithSavepoint();
    }
    assertThat(table.commits()).isEmpty();
    StreamExecutionEnvironment next = TestCluster.shared().environment(2);
    sinkTo(next);
    try (RunningJob job = TestCluster.shared().submit(next, savepoint)) {
      job.awaitFinished();
    }
    assertComplete();
  }

  @Test
  void withoutCheckpointsEverythingIsOneCommitAtTheEnd() throws Exception {
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2));
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void withoutCheckpointsAFailureIsExact() throws Exception {
    script.failOnceAt(150);
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2));
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void withoutCheckpointsACommitWhoseAnswerWasLostIsNotMadeAgain() throws Exception {
    table.next(Fault.CRASH_AFTER);
    runToTheEnd(TestCluster.shared().environmentWithoutCheckpoints(2));
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void aBatchIsOneCommit() throws Exception {
    runToTheEnd(batch());
    assertThat(table.commits()).hasSize(1);
    assertThat(lastCommit().delivery().inputEnded()).isTrue();
  }

  @Test
  void aBatchWithAWriterThatFailsOnceIsExact() throws Exception {
    StreamExecutionEnvironment env = batch();
    Orders.bounded(env, script)
        .rebalance()
        .sinkTo(
            PinotSink.builder(new FailsOnce(), Orders.offline(), Orders.offlineSchema())
                .staging(directory.resolve("staging").toUri().toString())
                .segmentRows(100)
                .publishers(table.publishers())
                .build());
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
      assertThat(job.attempts()).isPositive();
    }
    assertComplete();
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void aBatchWhoseCommitFailedIsCommittedOnce() throws Exception {
    table.next(Fault.CRASH_BEFORE);
    runToTheEnd(batch());
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void aBatchWhoseAnswerWasLostIsNotCommittedAgain() throws Exception {
    table.next(Fault.CRASH_AFTER);
    runToTheEnd(batch());
    assertThat(table.commits()).hasSize(1);
  }

  @Test
  void aBoundedStreamWithoutTheLastCheckpointIsRefused() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, OFTEN);
    env.configure(withoutTheLastCheckpoint());
    sinkTo(env);
    assertThatThrownBy(() -> env.getStreamGraph().getJobGraph())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("checkpoints-after-tasks-finish")
        .hasMessageContaining("would be lost");
  }

  @Test
  void aStreamThatEndsThoughItSaidItWouldNotIsRefusedWithoutTheLastCheckpoint() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    env.configure(withoutTheLastCheckpoint());
    ScriptedSource.endingUnannounced(env, script, Types.INT)
        .sinkTo(Orders.sink(table, directory).build())
        .uid("pinot");
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      assertThat(job.awaitFailure())
          .contains("checkpoints-after-tasks-finish")
          .contains("would be lost");
      assertThat(job.attempts()).isZero();
    }
  }

  @Test
  void anUnboundedStreamWithoutTheLastCheckpointIsWelcome() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    env.configure(withoutTheLastCheckpoint());
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).build()).uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.releaseAll();
      script.awaitEmitted();
      job.drain();
    }
    assertComplete();
  }

  static Configuration withoutTheLastCheckpoint() {
    Configuration conf = new Configuration();
    conf.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);
    return conf;
  }

  private static StreamExecutionEnvironment batch() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    return env;
  }

  private void sinkTo(StreamExecutionEnvironment env) {
    Orders.bounded(env, script)
        .sinkTo(Orders.sink(table, directory).segmentRows(90).build())
        .uid("pinot");
  }

  private void runToTheEnd(StreamExecutionEnvironment env) throws Exception {
    sinkTo(env);
    script.releaseAll();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    assertComplete();
  }

  private void assertComplete() {
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, ROWS));
  }

  private PinotCommit lastCommit() {
    return table.commits().get(table.commits().size() - 1);
  }

  /** Kills the task once, in the middle. */
  private static final class FailsOnce extends Orders.OfflineRow {
    private static final long serialVersionUID = 1L;
    private static final Set<FailsOnce> FAILED = ConcurrentHashMap.newKeySet();

    private final long id = System.nanoTime();

    @Override
    public org.apache.pinot.spi.data.readers.GenericRow convertToRow(Integer number) {
      if (number == 500 && FAILED.add(this)) {
        throw new SimulatedFailure.Crash("in the writer");
      }
      return super.convertToRow(number);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof FailsOnce that && that.id == id;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(id);
    }
  }
}

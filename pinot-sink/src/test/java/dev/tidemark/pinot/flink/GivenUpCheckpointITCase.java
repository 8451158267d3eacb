package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.SimulatedFailure;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A checkpoint that only some writers took part in, and that Flink gave up. */
class GivenUpCheckpointITCase {
  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();
  private final Script<Integer> script =
      Script.of(
          Orders.ids(0, 10),
          Orders.ids(10, 20),
          Orders.ids(20, 30),
          Orders.ids(30, 40),
          Orders.ids(40, 50));

  @AfterEach
  void noRuleWasBroken() {
    assertThat(table.violations()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void rowsOfAGivenUpCheckpointAreInALaterCommit(int everyCheckpoints) throws Exception {
    try (RunningJob job = start(everyCheckpoints)) {
      script.emit();
      assertThatThrownBy(job::checkpoint).hasStackTraceContaining("decline");
      for (int i = 0; i < 4; i++) {
        script.emit();
        job.checkpoint();
      }
      awaitRows(10);
      job.drain();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 50));
  }

  @Test
  void whatSomeHandedOverSurvivesAFailure() throws Exception {
    script.failOnceAt(8);
    try (RunningJob job = start(2)) {
      script.emit();
      assertThatThrownBy(job::checkpoint).hasStackTraceContaining("decline");
      script.emit();
      job.checkpoint();
      script.emit();
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      script.emit();
      job.drain();
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 50));
  }

  private void awaitRows(int rows) {
    await().atMost(Duration.ofSeconds(60)).until(() -> table.values("id").size() >= rows);
  }

  private RunningJob start(int everyCheckpoints) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    env.getCheckpointConfig().setTolerableCheckpointFailureNumber(10);
    Orders.unbounded(env, script)
        .map(new DeclinesTheFirst())
        .sinkTo(Orders.sink(table, directory).commitEveryCheckpoints(everyCheckpoints).build())
        .uid("pinot");
    return TestCluster.shared().submit(env);
  }

  /** In one subtask the first checkpoint fails. */
  private static final class DeclinesTheFirst extends RichMapFunction<Integer, Integer>
      implements CheckpointedFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer map(Integer number) {
      return number;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
      if (context.getCheckpointId() == 1
          && getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 1) {
        throw new SimulatedFailure("one subtask has to decline");
      }
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {}
  }
}

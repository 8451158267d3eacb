package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.integration.ScriptedRows;
import dev.tidemark.pinot.flink.PinotSinkFunction;
import dev.tidemark.pinot.row.RowDataGenericRowConverter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sink function on a real OFFLINE table, wound back to an older savepoint. */
class FunctionRewindITCase {
  private static final Schema ROWS =
      new Schema(
          Types.NestedField.required(1, "id", Types.IntegerType.get()),
          Types.NestedField.required(2, "v", Types.IntegerType.get()));

  @TempDir Path directory;

  private final Script<RowData> script = Script.of(rows(0, 10), rows(10, 20), rows(20, 30));
  private Tables.Created table;

  @BeforeEach
  void createTable() {
    table = Tables.offline();
  }

  @Test
  void fewerSubtasksThanPublishedSinceTheSavepointAreRefused() throws Exception {
    String savepoint = publishPastASavepoint();
    try (RunningJob job = submit(1, savepoint)) {
      assertThat(job.awaitFailure())
          .contains("Cannot restore a sink function of table " + table.name() + "_OFFLINE")
          .contains("with 1 subtasks: subtask 1 published")
          .contains("(expected: at least 2 subtasks, or the latest checkpoint)");
      assertThat(job.attempts()).isZero();
    }
    assertThat(table.number("SELECT COUNT(*)")).isEqualTo(20);
  }

  @Test
  void asManySubtasksReplaceWhatCameAfterTheSavepoint() throws Exception {
    String savepoint = publishPastASavepoint();
    try (RunningJob job = submit(2, savepoint)) {
      script.emit();
      job.checkpoint();
      awaitCount(30);
    }
    assertThat(table.number("SELECT DISTINCTCOUNT(id)")).isEqualTo(30);
  }

  @Test
  void fewerSubtasksGoOnFromTheEnd() throws Exception {
    String savepoint;
    try (RunningJob job = submit(2, null)) {
      script.emit();
      job.checkpoint();
      awaitCount(10);
      script.emit();
      savepoint = job.stopWithSavepoint();
      awaitCount(20);
    }
    try (RunningJob job = submit(1, savepoint)) {
      script.emit();
      job.checkpoint();
      awaitCount(30);
    }
    assertThat(table.number("SELECT DISTINCTCOUNT(id)")).isEqualTo(30);
  }

  /** Two subtasks publish 10 rows, take a savepoint, and publish 10 more. */
  private String publishPastASavepoint() throws Exception {
    try (RunningJob job = submit(2, null)) {
      script.emit();
      job.checkpoint();
      awaitCount(10);
      String savepoint = job.savepoint();
      script.emit();
      job.checkpoint();
      awaitCount(20);
      return savepoint;
    }
  }

  private RunningJob submit(int parallelism, String savepoint) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(parallelism);
    ScriptedRows.unbounded(env, script, ROWS)
        .addSink(
            PinotSinkFunction.builder(
                    new RowDataGenericRowConverter(FlinkSchemaUtil.convert(ROWS)),
                    table.config(),
                    table.schema())
                .controller(Tables.pinot().controllerUrl())
                .staging(directory.toUri().toString())
                .commitEveryCheckpoints(1)
                .buildFunction())
        .uid("pinot");
    return savepoint == null
        ? TestCluster.shared().submit(env)
        : TestCluster.shared().submit(env, savepoint);
  }

  private void awaitCount(long count) {
    Tables.patiently()
        .untilAsserted(() -> assertThat(table.number("SELECT COUNT(*)")).isEqualTo(count));
  }

  private static List<RowData> rows(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(id -> (RowData) GenericRowData.of(id, id * 10))
        .toList();
  }
}

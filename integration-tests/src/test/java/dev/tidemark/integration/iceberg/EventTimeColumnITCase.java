package dev.tidemark.integration.iceberg;

import static dev.tidemark.integration.iceberg.Opinions.assertWatermark;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The event-time column changes under a job. */
class EventTimeColumnITCase {
  @TempDir Path directory;
  private TestTable table;
  private final Script<RowData> script =
      Script.of(Events.rows(0, 60), Events.rows(60, 120), Events.rows(120, 180));

  @ParameterizedTest
  @ValueSource(strings = {"event_time", "happened_at"})
  void renameChangesNothingForTheJobNorForItsRestart(String configured) throws Exception {
    String savepoint = runAndRename();
    try (RunningJob job = TestCluster.shared().submit(job(configured), savepoint)) {
      commit(job, 3);
      assertWatermark(table, "10:00");
      assertThat(table.load().currentSnapshot().summary())
          .containsEntry("finalization.event-time.count", "60");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 180));
    assertThat(table.records())
        .allSatisfy(
            row ->
                assertThat(((java.time.OffsetDateTime) row.getField("happened_at")).toInstant())
                    .isEqualTo(Events.timeOf((Long) row.getField("id"))));
  }

  @Test
  void droppedColumnStopsTheRestart() throws Exception {
    runAndRename();
    table.load().updateSchema().deleteColumn("happened_at").commit();
    table.load().updateSchema().addColumn("event_time", Types.TimestampType.withZone()).commit();
    assertThatThrownBy(() -> job("event_time"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("field 2 (configured as \"event_time\") was dropped");
  }

  @Test
  void retypedColumnStopsTheRestart() throws Exception {
    runAndRename();
    TableOperations operations = ((HasTableOperations) table.load()).operations();
    TableMetadata base = operations.refresh();
    Schema text =
        new Schema(
            Types.NestedField.optional(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "happened_at", Types.StringType.get()),
            Types.NestedField.optional(3, "amount", Types.IntegerType.get()));
    operations.commit(
        base,
        base.buildReplacement(
            text, PartitionSpec.unpartitioned(), SortOrder.unsorted(), base.location(), Map.of()));
    assertThat(table.load().schema().findField("happened_at").fieldId()).isEqualTo(2);

    assertThatThrownBy(() -> job("happened_at"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("its type is now string (expected: timestamptz");
  }

  @Test
  void anotherColumnStopsTheRestart() throws Exception {
    runAndRename();
    assertThatThrownBy(() -> job("id"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rests on column \"happened_at\" (field 2)");
  }

  /** Commits, renames under the job, commits again, and stops it. */
  private String runAndRename() throws Exception {
    table = TestTable.create(directory);
    try (RunningJob job = TestCluster.shared().submit(job("event_time"))) {
      commit(job, 1);
      table.load().updateSchema().renameColumn("event_time", "happened_at").commit();
      commit(job, 2);
      assertWatermark(table, "09:00");
      return job.stopWithSavepoint();
    }
  }

  private StreamExecutionEnvironment job(String column) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).eventTime(EventTimeColumn.timestamp(column)).append();
    return env;
  }

  private void commit(RunningJob job, int commits) throws Exception {
    job.awaitRunning();
    script.emit();
    job.checkpoint();
    table.awaitCommits(commits);
  }
}

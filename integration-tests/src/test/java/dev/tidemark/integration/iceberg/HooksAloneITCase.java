package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.time.Clock;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A part of the sink alone: accumulators and hooks without finalization, and another branch. */
class HooksAloneITCase {
  @TempDir Path directory;

  private TestTable table;
  private final Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));

  @BeforeEach
  void createTable() throws Exception {
    table = TestTable.create(directory);
  }

  @Test
  void withoutFinalizationCommitsAreExactAndClaimNothing() throws Exception {
    table.faults().crashAfter(Faults.Kind.DATA);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    TidemarkIcebergSink.forRowData(ScriptedRows.unbounded(env, script, EmbeddedCatalog.EVENTS))
        .tableLoader(table.loader())
        .accumulator(new LongRangeAccumulatorFactory<>("id", row -> row.getLong(0)))
        .processor(new HookLog())
        .append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.ancestry())
        .extracting(commit -> commit.summary().get("tidemark.range.id.max"))
        .containsExactly("59", "119");
    assertThat(table.ancestry())
        .noneMatch(commit -> commit.summary().containsKey(FinalizationProperties.POLICY));
    assertThat(table.properties().keySet())
        .noneMatch(key -> key.startsWith(FinalizationProperties.PREFIX));
    assertThat(table.finality().answerAt(Events.START)).isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void anotherBranchHasItsOwnTruthAndNoMirror() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    HookLog hook = new HookLog();
    Events.sink(env, script, table).toBranch("audit").processor(hook).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      script.emit();
      job.stopWithSavepoint();
    }
    Table handle = table.load();
    assertThat(handle.currentSnapshot()).isNull();
    assertThat(hook.after()).hasSize(2);
    assertThat(rows(handle, "audit")).isEqualTo(120);
    assertThat(
            IcebergFinality.of(handle, "audit", Clock.systemUTC())
                .read()
                .opinion()
                .watermarkMillis())
        .isEqualTo(Events.timeOf(60).toEpochMilli());
    assertThat(handle.properties()).doesNotContainKey(FinalizationProperties.WATERMARK_MS);
    assertThat(table.finality().answerAt(Events.START)).isInstanceOf(FinalityAnswer.Unknown.class);
  }

  private static int rows(Table table, String branch) throws Exception {
    int rows = 0;
    long head = table.snapshot(branch).snapshotId();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table).useSnapshot(head).build()) {
      for (Record record : records) {
        assertThat(record.getField("id")).isNotNull();
        rows++;
      }
    }
    return rows;
  }
}

package dev.tidemark.integration.iceberg;

import static dev.tidemark.integration.iceberg.Opinions.ask;
import static dev.tidemark.integration.iceberg.Opinions.assertWatermark;
import static dev.tidemark.integration.iceberg.Opinions.hold;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.coverage.SourceReport;
import dev.tidemark.finalization.coverage.Vouch;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reports of a source reach the table through the sink, also where no row comes with them. */
class PromiseITCase {
  private static final Schema REPORTS =
      new Schema(Types.NestedField.required(1, "report", Types.BinaryType.get()));

  @TempDir Path directory;
  private TestTable table;
  private final Script<RowData> rows = Script.of(Events.rows(120, 171));
  private final Script<RowData> reports = Script.of();

  @BeforeEach
  void createTable() throws Exception {
    table = TestTable.create(directory);
  }

  @Test
  void promiseWithoutRowsMakesACommitOfItsOwnWhereItCrossesAnHour() throws Exception {
    try (RunningJob job = start(FinalizationPolicy.SOURCE_PROMISE)) {
      rows.emit();
      report("10:40", 51, 51);
      job.checkpoint();
      table.awaitCommits(1);
      assertWatermark(table, "10:00");
      assertThat(ask(table, "10:00")).isInstanceOf(FinalityAnswer.NotReady.class);

      report("10:55", 51, 51);
      job.checkpoint();
      report("11:01", 51, 51);
      job.checkpoint();
      table.awaitCommits(2);
      assertWatermark(table, "11:00");
      assertThat(table.finality().opinion().watermark().evidence()).isEqualTo(Evidence.PROMISE);
      assertThat(ask(table, "10:00")).isInstanceOf(FinalityAnswer.Ready.class);
      job.stopWithSavepoint();
    }
    Table handle = table.load();
    assertThat(table.commits()).as("10:55 is worth no commit").hasSize(2);
    assertThat(SnapshotChanges.builderFor(handle).build().addedDataFiles()).isEmpty();
    assertThat(table.ids()).isEqualTo(Events.ids(120, 171));
  }

  @Test
  void promiseWaitsUntilItsPartitionsWereRead() throws Exception {
    try (RunningJob job = start(FinalizationPolicy.SOURCE_PROMISE)) {
      rows.emit();
      report("11:01", 40, 51);
      job.checkpoint();
      table.awaitCommits(1);
      assertThat(table.finality().opinion().watermarkMillis()).isNull();
      assertThat(hold(table)).isEqualTo(Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("p-0")));

      reports.add(List.of(encoded(new SourceReport(coverage(51, 51), List.of()))));
      reports.emit();
      job.checkpoint();
      table.awaitCommits(2);
      assertWatermark(table, "11:00");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(120, 171));
  }

  @Test
  void coverageOfAPartitionThatIsBehindHoldsAnEstimate() throws Exception {
    rows.add(Events.rows(180, 240));
    try (RunningJob job = start(FinalizationPolicy.MIN)) {
      rows.emit();
      reports.add(List.of(encoded(new SourceReport(both(51, 90), List.of()))));
      reports.emit();
      job.checkpoint();
      table.awaitCommits(1);
      rows.emit();
      reports.add(List.of(encoded(new SourceReport(both(111, 90), List.of()))));
      reports.emit();
      job.checkpoint();
      table.awaitCommits(2);
      assertThat(hold(table)).isEqualTo(Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("p-1")));
      assertThat(table.finality().opinion().watermarkMillis()).isNull();
    }
    Coverage kept =
        FinalizationProperties.readCoverage(table.load().currentSnapshot().summary()).orElseThrow();
    assertThat(kept.partition("p-0").nextOffset()).isEqualTo(111);
    assertThat(kept.partition("p-1").endOffset()).isEqualTo(90);
    assertThat(table.ids()).hasSize(111);
  }

  private void report(String promised, long next, long end) {
    Vouch vouch = Vouch.of(Opinions.at(promised).toEpochMilli(), Map.of("p-0", end));
    reports.add(List.of(encoded(new SourceReport(coverage(next, end), List.of(vouch)))));
    reports.emit();
  }

  private static RowData encoded(SourceReport report) {
    return GenericRowData.of((Object) report.toBytes());
  }

  private static Coverage coverage(long next, long end) {
    return Coverage.of(new TreeMap<>(Map.of("p-0", progress(next, end))));
  }

  /** Partition 0 stands at its end, partition 1 was read to nowhere. */
  private static Coverage both(long next, long endOfOther) {
    return Coverage.of(
        new TreeMap<>(Map.of("p-0", progress(next, next), "p-1", progress(0, endOfOther))));
  }

  private static PartitionProgress progress(long next, long end) {
    return PartitionProgress.at(next, null)
        .merge(PartitionProgress.end(end, System.currentTimeMillis()));
  }

  private RunningJob start(FinalizationPolicy policy) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    DataStream<RowData> stream = ScriptedRows.unbounded(env, reports, REPORTS);
    DataStream<byte[]> encoded =
        ((SingleOutputStreamOperator<RowData>) stream)
            .uid("scripted-reports")
            .map(row -> row.getBinary(0))
            .returns(byte[].class)
            .uid("decoded-reports");
    Events.sink(env, rows, table)
        .finalization(Events.finalization().policy(policy).coverageExpected().build())
        .coverage(encoded)
        .append();
    RunningJob job = TestCluster.shared().submit(env);
    return job.awaitRunning();
  }
}

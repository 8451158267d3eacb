package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing configured is the stock sink; with finalization its operators keep their identities. */
class StockSinkITCase {
  @TempDir Path directory;

  private TestTable table;

  @BeforeEach
  void createTable() throws Exception {
    table =
        TestTable.create(
            directory,
            EmbeddedCatalog.EVENTS,
            PartitionSpec.builderFor(EmbeddedCatalog.EVENTS).hour("event_time").build(),
            Map.of("format-version", "2", "write.distribution-mode", "hash"));
  }

  @Test
  void nothingConfiguredIsTheStockSink() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    SinkTransformation<?, ?> sink =
        (SinkTransformation<?, ?>)
            TidemarkIcebergSink.forRowData(rows(env))
                .tableLoader(table.loader())
                .append()
                .getTransformation();
    assertThat(sink.getSink()).isExactlyInstanceOf(IcebergSink.class);
    assertThat(operators(env)).isEqualTo(operators(stock(null)));
  }

  @Test
  void nothingConfiguredLeavesNoKeyOfFinalization() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    Script<RowData> script = Script.of(Events.rows(0, 100)).releaseAll();
    TidemarkIcebergSink.forRowData(ScriptedRows.bounded(env, script, EmbeddedCatalog.EVENTS))
        .tableLoader(table.loader())
        .append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 100));
    assertThat(table.ancestry()).hasSize(1);
    for (Snapshot snapshot : table.ancestry()) {
      assertThat(snapshot.summary().keySet())
          .noneMatch(key -> key.startsWith(FinalizationProperties.PREFIX));
    }
    assertThat(table.properties().keySet())
        .noneMatch(key -> key.startsWith(FinalizationProperties.PREFIX));
  }

  @Test
  void withFinalizationTheOperatorsAreThoseOfTheStockSink() throws Exception {
    assertThat(operators(ours(null))).isEqualTo(operators(stock(null)));
  }

  @Test
  void withFinalizationAndASuffixTheOperatorsAreThoseOfTheStockSink() throws Exception {
    assertThat(operators(ours("orders"))).isEqualTo(operators(stock("orders")));
    assertThat(operators(ours("orders"))).isNotEqualTo(operators(ours("returns")));
  }

  private StreamExecutionEnvironment ours(String suffix) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    TidemarkIcebergSink sink =
        TidemarkIcebergSink.forRowData(rows(env))
            .tableLoader(table.loader())
            .eventTime(EventTimeColumn.timestamp("event_time"))
            .finalization(Events.finalization().build());
    (suffix == null ? sink : sink.uidSuffix(suffix)).append();
    return env;
  }

  private StreamExecutionEnvironment stock(String suffix) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    IcebergSink.Builder sink = IcebergSink.forRowData(rows(env)).tableLoader(table.loader());
    (suffix == null ? sink : sink.uidSuffix(suffix)).append();
    return env;
  }

  private static DataStream<RowData> rows(StreamExecutionEnvironment env) {
    return ScriptedRows.unbounded(env, Script.of(), EmbeddedCatalog.EVENTS);
  }

  /**
   * Every operator: its name, uid, parallelism, and what feeds it how; and the ids of its state.
   */
  private static List<String> operators(StreamExecutionEnvironment env) {
    StreamGraph graph = env.getStreamGraph();
    List<String> operators = new ArrayList<>();
    for (StreamNode node : graph.getStreamNodes()) {
      List<String> inputs =
          node.getInEdges().stream()
              .map(e -> graph.getStreamNode(e.getSourceId()).getOperatorName() + e.getPartitioner())
              .toList();
      operators.add(
          "%s, uid %s, parallelism %d of %d, from %s"
              .formatted(
                  node.getOperatorName(),
                  node.getTransformationUID(),
                  node.getParallelism(),
                  node.getMaxParallelism(),
                  inputs));
    }
    for (JobVertex vertex : graph.getJobGraph().getVertices()) {
      for (OperatorIDPair id : vertex.getOperatorIDs()) {
        operators.add(
            "state of %s: %s"
                .formatted(id.getUserDefinedOperatorUid(), id.getGeneratedOperatorID()));
      }
    }
    operators.sort(String::compareTo);
    return operators;
  }
}

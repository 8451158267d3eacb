package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.EmbeddedCatalog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.DistributionMode;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All table formats, appended to and changed. */
class FormatITCase {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void appendsToAPartitionedTableWithHashDistribution(int format) throws Exception {
    TestTable table =
        TestTable.create(
            directory,
            EmbeddedCatalog.EVENTS,
            PartitionSpec.builderFor(EmbeddedCatalog.EVENTS).hour("event_time").build(),
            Map.of("format-version", Integer.toString(format)));
    Script<RowData> script = Script.of(Events.rows(0, 200), Events.rows(200, 400));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).distributionMode(DistributionMode.HASH).append();
    run(env, script, table, 2);
    assertThat(TableUtil.formatVersion(table.load())).isEqualTo(format);
    assertThat(table.ids()).isEqualTo(Events.ids(0, 400));
    // One writer has all rows of an hour: a file for each of 4, then the same hour and 3 more.
    assertThat(table.commits())
        .extracting(commit -> commit.summary().get("added-data-files"))
        .containsExactly("4", "4");
    assertThat(counts(table)).containsExactly("200", "200");
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T11:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void upsertKeepsTheNewestRowOfEachKey(int format) throws Exception {
    TestTable table =
        TestTable.create(directory, Map.of("format-version", Integer.toString(format)));
    Script<RowData> script =
        Script.of(
            changes(RowKind.INSERT, 0, 40, 1),
            changes(RowKind.INSERT, 20, 60, 2),
            changes(RowKind.DELETE, 50, 60, 2),
            twice(changes(RowKind.INSERT, 30, 34, 3), changes(RowKind.INSERT, 30, 34, 4)));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).equalityFieldColumns(List.of("id")).upsert(true).append();
    run(env, script, table, 4);
    Map<Long, Integer> expected = new TreeMap<>();
    Events.ids(0, 20).forEach(id -> expected.put(id, 1));
    Events.ids(20, 50).forEach(id -> expected.put(id, 2));
    Events.ids(30, 34).forEach(id -> expected.put(id, 4));
    assertThat(amounts(table)).isEqualTo(expected);
    assertThat(counts(table)).containsExactly("40", "40", "10", "8");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void changesAreAppliedAndAnUpdateIsOneEvent(int format) throws Exception {
    TestTable table =
        TestTable.create(directory, Map.of("format-version", Integer.toString(format)));
    Script<RowData> script =
        Script.of(
            changes(RowKind.INSERT, 0, 20, 1),
            twice(changes(RowKind.UPDATE_BEFORE, 4, 8, 1), changes(RowKind.UPDATE_AFTER, 4, 8, 2)),
            changes(RowKind.DELETE, 0, 4, 1),
            twice(changes(RowKind.INSERT, 20, 24, 1), changes(RowKind.DELETE, 20, 24, 1)));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).equalityFieldColumns(List.of("id")).append();
    run(env, script, table, 4);
    Map<Long, Integer> expected = new TreeMap<>();
    Events.ids(4, 20).forEach(id -> expected.put(id, id < 8 ? 2 : 1));
    assertThat(amounts(table)).isEqualTo(expected);
    assertThat(counts(table)).containsExactly("20", "4", "4", "8");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void upsertReplacesRowsInTheirPartitions(int format) throws Exception {
    TestTable table =
        TestTable.create(
            directory,
            EmbeddedCatalog.EVENTS,
            PartitionSpec.builderFor(EmbeddedCatalog.EVENTS).bucket("id", 4).build(),
            Map.of("format-version", Integer.toString(format)));
    Script<RowData> script =
        Script.of(changes(RowKind.INSERT, 0, 40, 1), changes(RowKind.INSERT, 20, 60, 2));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table)
        .equalityFieldColumns(List.of("id"))
        .distributionMode(DistributionMode.HASH)
        .upsert(true)
        .append();
    run(env, script, table, 2);
    Map<Long, Integer> expected = new TreeMap<>();
    Events.ids(0, 60).forEach(id -> expected.put(id, id < 20 ? 1 : 2));
    assertThat(amounts(table)).isEqualTo(expected);
    assertThat(counts(table)).containsExactly("40", "40");
  }

  private static void run(
      StreamExecutionEnvironment env, Script<RowData> script, TestTable table, int steps)
      throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env)) {
      for (int step = 1; step <= steps; step++) {
        script.emit();
        job.checkpoint();
        table.awaitCommits(step);
      }
      assertThat(job.attempts()).isZero();
    }
  }

  private static List<RowData> changes(RowKind kind, long from, long to, int amount) {
    List<RowData> rows = new ArrayList<>();
    for (long id = from; id < to; id++) {
      TimestampData time = TimestampData.fromInstant(Events.timeOf(id));
      rows.add(GenericRowData.ofKind(kind, id, time, amount));
    }
    return rows;
  }

  /** Two changes of the same keys in one step; a multiple of the splits keeps their order. */
  private static List<RowData> twice(List<RowData> first, List<RowData> second) {
    assertThat(first.size() % Script.SPLITS).isZero();
    List<RowData> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  private static Map<Long, Integer> amounts(TestTable table) {
    Map<Long, Integer> amounts = new TreeMap<>();
    for (Record row : table.records()) {
      Long id = (Long) row.getField("id");
      assertThat(amounts.put(id, (Integer) row.getField("amount")))
          .as("second row of %s", id)
          .isNull();
    }
    return amounts;
  }

  private static List<String> counts(TestTable table) {
    return table.commits().stream()
        .map(commit -> commit.summary().get("finalization.event-time.count"))
        .toList();
  }
}

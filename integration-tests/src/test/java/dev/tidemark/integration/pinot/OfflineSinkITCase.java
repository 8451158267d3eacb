package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.integration.ScriptedRows;
import dev.tidemark.pinot.commit.PinotTableHandle;
import dev.tidemark.pinot.flink.ControllerRequestClient;
import dev.tidemark.pinot.flink.PinotConnectionUtils;
import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.pinot.flink.PinotSinkFunction;
import dev.tidemark.pinot.row.FlinkRowGenericRowConverter;
import dev.tidemark.pinot.row.PinotRowRecordConverter;
import dev.tidemark.pinot.row.RowDataGenericRowConverter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.Row;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.types.Types;
import org.apache.pinot.common.utils.http.HttpClient;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.utils.builder.ControllerRequestURLBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both sinks into an OFFLINE table of a real Pinot. */
class OfflineSinkITCase {
  private static final Schema ROWS =
      new Schema(
          Types.NestedField.required(1, "id", Types.IntegerType.get()),
          Types.NestedField.required(2, "v", Types.IntegerType.get()));
  private static final RowTypeInfo ORDER =
      new RowTypeInfo(
          new TypeInformation<?>[] {
            org.apache.flink.api.common.typeinfo.Types.INT,
            org.apache.flink.api.common.typeinfo.Types.INT
          },
          new String[] {"id", "v"});

  @TempDir Path directory;

  /** Case 1: ids 1 to 10, a checkpoint after 6, roll at 3, a crash after 8. */
  @Test
  void crashAndRestartCountEveryRowOnce() throws Exception {
    Tables.Created table = Tables.offline();
    Script<RowData> script = Script.of(rows(1, 7), rows(7, 9), rows(9, 11)).failOnceAt(2);
    try (RunningJob job = submit(script, sink(table).segmentRows(3).build())) {
      script.emit();
      job.checkpoint();
      awaitCount(table, 6);
      script.emit();
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      awaitCount(table, 10);
    }
    assertThat(table.number("SELECT SUM(id)")).isEqualTo(55);
  }

  /** Case 1, where the crash falls between the upload and the acknowledged commit. */
  @Test
  void crashAfterTheCommitCountsEveryRowOnce() throws Exception {
    Tables.Created table = Tables.offline();
    Script<RowData> script = Script.of(rows(1, 7), rows(7, 11));
    try (RunningJob job =
        submit(script, sink(table).segmentRows(3).processor(new DiesOnce(table.name())).build())) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      script.emit();
      job.checkpoint();
      awaitCount(table, 10);
    }
    assertThat(table.number("SELECT SUM(id)")).isEqualTo(55);
  }

  /** Case 3: ids 1 to 100, then 101 to 250, in two jobs. */
  @Test
  void twoJobsKeepTheRowsOfBoth() throws Exception {
    Tables.Created table = Tables.offline();
    runToTheEnd(table, 1, 101);
    runToTheEnd(table, 101, 251);
    awaitCount(table, 250);
    assertThat(table.number("SELECT DISTINCTCOUNT(id)")).isEqualTo(250);
  }

  @Test
  void aRewindToAnOlderSavepointReplacesWhatCameAfterIt() throws Exception {
    Tables.Created table = Tables.offline();
    Script<RowData> script = Script.of(rows(0, 10), rows(10, 20), rows(20, 30));
    String savepoint;
    try (RunningJob job = submit(script, sink(table).build())) {
      script.emit();
      job.checkpoint();
      awaitCount(table, 10);
      script.emit();
      savepoint = job.savepoint();
      script.emit();
      job.checkpoint();
      awaitCount(table, 30);
    }
    StreamExecutionEnvironment env = TestCluster.shared().environment(3);
    ScriptedRows.unbounded(env, script, ROWS).sinkTo(sink(table).build()).uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(env, savepoint)) {
      job.awaitRunning();
      script.awaitEmitted();
      job.checkpoint();
      // The savepoint holds the commit of the second ten, which is found and left as it is.
      awaitRowsOfTheRestoredRun(table, 10);
    }
    assertThat(table.number("SELECT COUNT(*)")).isEqualTo(30);
    assertThat(table.number("SELECT SUM(id)")).isEqualTo(29 * 30 / 2);
  }

  /** The first program of the README of the connector that Pinot ships, with other imports. */
  @Test
  void theQuickStartOfTheExistingConnectorRuns() throws Exception {
    Tables.Created created = Tables.offline();
    String controllerUrl = Tables.pinot().controllerUrl();
    List<Row> data = IntStream.range(0, 100).mapToObj(i -> Row.of(i, i * 10)).toList();

    StreamExecutionEnvironment execEnv = TestCluster.shared().environmentWithoutCheckpoints(2);
    DataStream<Row> srcDs = execEnv.fromData(data, ORDER);
    HttpClient httpClient = HttpClient.getInstance();
    ControllerRequestClient client =
        new ControllerRequestClient(ControllerRequestURLBuilder.baseUrl(controllerUrl), httpClient);
    org.apache.pinot.spi.data.Schema schema =
        PinotConnectionUtils.getSchema(client, created.name());
    TableConfig tableConfig =
        PinotConnectionUtils.getTableConfig(client, created.name(), "OFFLINE");
    srcDs.addSink(new PinotSinkFunction<>(new PinotRowRecordConverter(ORDER), tableConfig, schema));

    finish(execEnv);
    awaitCount(created, 100);
    assertThat(created.number("SELECT SUM(v)")).isEqualTo(49_500);
  }

  /**
   * The calls of the quick start program that comes with the connector that Pinot ships, which
   * spreads places over two subtasks by their longitude: the stores of one country are in the table
   * already, those of the rest of the world are added. Only the imports differ, and who fetches
   * schema and config.
   */
  @Test
  void theQuickStartProgramOfTheExistingConnectorAddsItsPlaces() throws Exception {
    Tables.Created created = Tables.places();
    List<Row> home = List.of(Row.of(-122.34f, 47.61f, "1912 Pike Place, Seattle", "Pike Place"));
    List<Row> world =
        List.of(
            Row.of(1.53f, 42.51f, "\"Avinguda 96, Andorra\"", "Avinguda, 96"),
            Row.of(55.47f, 25.42f, "Al Jarf 1, Ajman", "Ajman Drive"),
            Row.of(55.39f, 25.39f, "Bin Zayed St, Ajman", "Dana"),
            Row.of(-58.38f, -34.6f, "Florida 1, Buenos Aires", "Florida"),
            Row.of(139.7f, 35.66f, "Dogenzaka 2-1, Tokyo", "Tsutaya"));
    RowTypeInfo testTypeInfo =
        new RowTypeInfo(
            new TypeInformation<?>[] {
              org.apache.flink.api.common.typeinfo.Types.FLOAT,
              org.apache.flink.api.common.typeinfo.Types.FLOAT,
              org.apache.flink.api.common.typeinfo.Types.STRING,
              org.apache.flink.api.common.typeinfo.Types.STRING
            },
            new String[] {"lon", "lat", "address", "name"});
    for (List<Row> data : List.of(home, world)) {
      StreamExecutionEnvironment execEnv = TestCluster.shared().environmentWithoutCheckpoints(2);
      execEnv.setParallelism(2);
      DataStream<Row> srcDs = execEnv.fromData(data, testTypeInfo).keyBy(r -> r.getField(0));
      HttpClient httpClient = HttpClient.getInstance();
      ControllerRequestClient client =
          new ControllerRequestClient(
              ControllerRequestURLBuilder.baseUrl(Tables.pinot().controllerUrl()), httpClient);
      org.apache.pinot.spi.data.Schema schema =
          PinotConnectionUtils.getSchema(client, created.name());
      TableConfig tableConfig =
          PinotConnectionUtils.getTableConfig(client, created.name(), "OFFLINE");
      srcDs.addSink(
          new PinotSinkFunction<>(
              new FlinkRowGenericRowConverter(testTypeInfo), tableConfig, schema));
      finish(execEnv);
    }

    awaitCount(created, 6);
    assertThat(created.byKey("name", "address"))
        .hasSize(6)
        .containsEntry("Pike Place", "1912 Pike Place, Seattle")
        .containsEntry("Tsutaya", "Dogenzaka 2-1, Tokyo")
        .containsEntry("Avinguda, 96", "\"Avinguda 96, Andorra\"");
    assertThat(created.byKey("name", "lon")).containsEntry("Florida", "-58.38");
    assertThat(created.byKey("name", "lat")).containsEntry("Florida", "-34.6");
  }

  /** The same program as the newer README has it, with a sink. */
  @Test
  void theNewerQuickStartOfTheExistingConnectorRuns() throws Exception {
    Tables.Created created = Tables.offline();
    List<Row> data = IntStream.range(0, 100).mapToObj(i -> Row.of(i, i * 10)).toList();

    StreamExecutionEnvironment execEnv = TestCluster.shared().environmentWithoutCheckpoints(2);
    execEnv
        .fromData(data, ORDER)
        .sinkTo(
            new PinotSink<>(
                new PinotRowRecordConverter(ORDER),
                created.config(),
                created.schema(),
                Tables.pinot().controllerUrl()));

    finish(execEnv);
    awaitCount(created, 100);
    assertThat(created.number("SELECT SUM(v)")).isEqualTo(49_500);
  }

  private PinotSinkBuilder<RowData> sink(Tables.Created table) throws Exception {
    return PinotSink.builder(
            new RowDataGenericRowConverter(FlinkSchemaUtil.convert(ROWS)),
            table.config(),
            table.schema())
        .controller(Tables.pinot().controllerUrl())
        .staging(directory.resolve("staging").toUri().toString())
        .commitEveryCheckpoints(1);
  }

  private static RunningJob submit(Script<RowData> script, PinotSink<RowData> sink)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    ScriptedRows.unbounded(env, script, ROWS).sinkTo(sink).uid("pinot");
    return TestCluster.shared().submit(env);
  }

  private void runToTheEnd(Tables.Created table, int from, int to) throws Exception {
    Script<RowData> script = Script.of(rows(from, to)).releaseAll();
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    ScriptedRows.bounded(env, script, ROWS).sinkTo(sink(table).build()).uid("pinot");
    finish(env);
  }

  private static void finish(StreamExecutionEnvironment env) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
  }

  private static List<RowData> rows(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(id -> (RowData) GenericRowData.of(id, id * 10))
        .toList();
  }

  private static void awaitCount(Tables.Created table, long count) {
    Tables.patiently()
        .untilAsserted(() -> assertThat(table.number("SELECT COUNT(*)")).isEqualTo(count));
  }

  /** Names end in the epoch, the subtask and a sequence. */
  private static void awaitRowsOfTheRestoredRun(Tables.Created table, int rows) {
    Tables.patiently()
        .until(
            () ->
                table.byKey("id", "$segmentName").values().stream()
                        .filter(name -> !name.matches(".*_0_\\d+_\\d+"))
                        .count()
                    == rows);
  }

  /** Kills the committing process once, right after the first commit of a table. */
  private static final class DiesOnce implements CommitProcessor<PinotTableHandle> {
    private static final long serialVersionUID = 1L;
    private static final Set<String> DEAD = ConcurrentHashMap.newKeySet();

    private final String table;

    DiesOnce(String table) {
      this.table = table;
    }

    @Override
    public void postCommit(CommitContext<PinotTableHandle> context) {
      if (DEAD.add(table)) {
        throw new AssertionError("Simulated crash after the commit");
      }
    }
  }
}

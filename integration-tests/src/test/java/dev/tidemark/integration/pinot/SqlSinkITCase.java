package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.integration.ScriptedRows;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.types.Types;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables with {@code 'connector' = 'tidemark-pinot'} of Flink SQL into a real Pinot. */
class SqlSinkITCase {
  private static final String ORDERS = "(id INT, v INT)";
  private static final String UPSERT_ORDERS =
      "(id STRING, v INT, ts BIGINT, PRIMARY KEY (id) NOT ENFORCED)";

  private static final org.apache.iceberg.Schema ENDLESS =
      new org.apache.iceberg.Schema(
          Types.NestedField.required(1, "id", Types.IntegerType.get()),
          Types.NestedField.required(2, "v", Types.IntegerType.get()));

  private static EmbeddedKafka kafka;
  private static ClassLoader planner;

  @TempDir Path directory;

  private ClassLoader before;

  @BeforeAll
  static void start() throws Exception {
    kafka = SharedKafka.get();
    planner = PlannerLoader.create();
  }

  @BeforeEach
  void usePlanner() {
    before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(planner);
  }

  @AfterEach
  void leavePlanner() {
    Thread.currentThread().setContextClassLoader(before);
  }

  @Test
  void insertsFillAnOfflineTable() throws Exception {
    Tables.Created table = Tables.offline();
    Session sql = new Session();
    sql.create(table, "OFFLINE", ORDERS, "");
    sql.run("INSERT INTO orders VALUES (1, 10), (2, 20), (3, CAST(NULL AS INT))");
    awaitValues(table, Map.of("1", "10", "2", "20", "3", "-2147483648"));
    sql.run("INSERT INTO orders SELECT id + 3, v + 30 FROM (VALUES (1, 10)) AS s(id, v)");
    awaitCount(table, 4);
  }

  @Test
  void aTableIsFinalizedWhereItsOptionsSaySo() throws Exception {
    Tables.Created table = Tables.offlineWithRetention(36_500);
    Session sql = new Session();
    sql.create(
        table,
        "OFFLINE",
        "(id INT, v INT, ts TIMESTAMP(3))",
        ", 'tidemark.sink.event-time.column' = 'ts'");
    sql.run(
        "INSERT INTO orders /*+ OPTIONS('tidemark.sink.writer' = 'orders',"
            + " 'tidemark.sink.read-from' = 'beginning', 'tidemark.sink.lookback.commits' = '1',"
            + " 'tidemark.sink.lookback.span' = '0 s', 'tidemark.sink.input-is-complete' = 'true')"
            + " */ VALUES (1, 10, TIMESTAMP '2026-01-01 08:10:00'),"
            + " (2, 20, TIMESTAMP '2026-01-01 09:20:00')");
    awaitValues(table, Map.of("1", "10", "2", "20"));
    assertThat(table.byKey("id", "ts")).containsEntry("2", "1767259200000");
    PinotFinality finality =
        PinotFinality.of(
            new PinotTable(table.name(), PinotTable.Type.OFFLINE),
            ControllerSettings.of(Tables.pinot().controllerUrl()));
    Tables.patiently()
        .untilAsserted(
            () ->
                assertThat(finality.read().answerAt(Instant.parse("2026-01-01T09:30:00Z")))
                    .isInstanceOf(FinalityAnswer.Ready.class));
    assertThat(finality.read().answerAt(Instant.parse("2026-01-01T10:30:00Z")))
        .isNotInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void aRowThatTheTableWouldLoseFailsTheJobOrIsLeftOutByOption() throws Exception {
    Tables.Created table = Tables.offlineWithRetention(5);
    long now = System.currentTimeMillis();
    String rows = " VALUES (1, 10, " + now + "), (2, 20, " + Tables.TIME + ")";
    Session failing = new Session();
    failing.create(table, "OFFLINE", "(id INT, v INT, ts BIGINT)", "");
    assertThatThrownBy(() -> failing.run("INSERT INTO orders" + rows))
        .hasStackTraceContaining("older than the table's retention");
    assertThat(table.number("SELECT COUNT(*)")).isZero();

    Session logging = new Session();
    logging.create(table, "OFFLINE", "(id INT, v INT, ts BIGINT)", ", 'dead-letters' = 'log'");
    logging.run("INSERT INTO orders" + rows);
    awaitValues(table, Map.of("1", "10"));
  }

  @Test
  void aStreamWithCheckpointsIsExactThroughACrash() throws Exception {
    Tables.Created table = Tables.offline();
    Script<RowData> script = Script.of(rows(1, 7), rows(7, 9), rows(9, 11)).failOnceAt(2);
    Session sql = new Session(TestCluster.shared().environment(2));
    sql.create(table, "OFFLINE", ORDERS, ", 'segment.rows' = '3', 'commit.interval' = '1 s'");
    sql.endless(script);
    try (RunningJob job = sql.start("INSERT INTO orders SELECT id, v FROM endless")) {
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

  /** The example of docs/flink-sql.md, but for names and places. */
  @Test
  void changesBecomeUpsertsAndTombstonesOfARealtimeTable() throws Exception {
    Tables.Created table = deletable();
    streamEightOrders(table);
    Session sql = new Session();
    sql.changes(
        change(RowKind.INSERT, "o9", 9, 200),
        change(RowKind.UPDATE_AFTER, "o2", 22, 200),
        change(RowKind.DELETE, "o3", 3, 300));
    List<String> example = documentedExample(table);
    assertThat(example).hasSize(2);
    sql.tables.executeSql(example.get(0));
    sql.run(example.get(1));
    awaitValues(
        table,
        Map.of(
            "o1", "1", "o2", "22", "o4", "4", "o5", "5", "o6", "6", "o7", "7", "o8", "8", "o9",
            "9"));
  }

  @Test
  void deletionsNeedADeleteColumn() throws Exception {
    Tables.Created table = Tables.upsert(kafka, "STRING", 4);
    Session sql = new Session();
    sql.create(table, "REALTIME", UPSERT_ORDERS, ", 'partitions' = '4'");
    sql.changes(change(RowKind.DELETE, "o3", 3, 300));
    assertThatThrownBy(() -> sql.plan("INSERT INTO orders SELECT id, v, ts FROM changes"))
        .hasStackTraceContaining("doesn't support consuming")
        .hasStackTraceContaining("delete");
  }

  @Test
  void updatesOfAnOfflineTableAreRefused() throws Exception {
    Session sql = new Session();
    sql.create(Tables.offline(), "OFFLINE", "(id STRING, v INT)", "");
    sql.changes(change(RowKind.INSERT, "o3", 3, 300));
    assertThatThrownBy(() -> sql.plan("INSERT INTO orders SELECT id, v FROM changes"))
        .hasStackTraceContaining("Invalid type of column \"id\"")
        .hasStackTraceContaining("where Pinot has INT (expected: INT or SMALLINT or TINYINT)");

    Session fitting = new Session();
    fitting.create(Tables.offline(), "OFFLINE", ORDERS, "");
    fitting.changes(change(RowKind.INSERT, "o3", 3, 300));
    assertThatThrownBy(() -> fitting.plan("INSERT INTO orders SELECT v, v FROM changes"))
        .hasStackTraceContaining("doesn't support consuming update");
  }

  @Test
  void aTableThatDoesNotFitIsRefusedWhenAStatementIsPlanned() throws Exception {
    Tables.Created offline = Tables.offline();
    Tables.Created upsert = deletable();
    refused(offline, "OFFLINE", "(id INT, x INT)", "")
        .hasStackTraceContaining("Unknown column \"x\" of table");
    refused(offline, "OFFLINE", "(id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)", "")
        .hasStackTraceContaining("(expected: none, since the table keeps every row it is given)");
    refused(upsert, "REALTIME", "(id STRING, v INT)", ", 'partitions' = '4'")
        .hasStackTraceContaining("(expected: PRIMARY KEY (id) NOT ENFORCED");
    refused(
            upsert,
            "REALTIME",
            "(id STRING, v INT, PRIMARY KEY (id) NOT ENFORCED)",
            ", 'partitions' = '4'")
        .hasStackTraceContaining("Missing column \"ts\"")
        .hasStackTraceContaining("(expected: also \"ts\", of type BIGINT");
    refused(upsert, "REALTIME", UPSERT_ORDERS, "")
        .hasStackTraceContaining("Missing option 'partitions'");
    refused(offline, "OFFLINE", ORDERS, ", 'segment.colour' = 'red'")
        .hasStackTraceContaining("segment.colour");
    refused(offline, "OFFLINE", ORDERS, ", 'auth.user' = 'me'")
        .hasStackTraceContaining("Invalid authentication: [auth.user] are given");
    refused(offline, "REALTIME", ORDERS, "")
        .hasStackTraceContaining("Cannot read table " + offline.name() + "_REALTIME");
  }

  @Test
  void anUnboundedSourceWithoutCheckpointsIsRefused() throws Exception {
    Session sql = new Session();
    sql.create(Tables.offline(), "OFFLINE", ORDERS, "");
    sql.endless(Script.of(List.of()));
    assertThatThrownBy(() -> sql.run("INSERT INTO orders SELECT id, v FROM endless"))
        .hasStackTraceContaining("Cannot write the unbounded stream of source");
  }

  private AbstractThrowableAssert<?, ?> refused(
      Tables.Created table, String type, String columns, String options) throws Exception {
    Session sql = new Session();
    sql.create(table, type, columns, options);
    String values =
        columns.contains("ts")
            ? "('o1', 1, 1)"
            : columns.contains("STRING") ? "('o1', 1)" : "(1, 1)";
    return assertThatThrownBy(() -> sql.plan("INSERT INTO orders VALUES " + values));
  }

  private static Tables.Created deletable() throws Exception {
    return Tables.upsert(
        kafka, "STRING", 4, "\"comparisonColumns\": [\"ts\"], \"deleteRecordColumn\": \"gone\"");
  }

  /** The statements of the second example of the page. */
  private List<String> documentedExample(Tables.Created table) throws Exception {
    String page = Files.readString(Path.of("..", "docs", "flink-sql.md"));
    List<String> examples =
        Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL)
            .matcher(page)
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(examples).hasSize(2);
    return Stream.of(examples.get(1).split(";"))
        .map(s -> s.replace("http://127.0.0.1:9000", Tables.pinot().controllerUrl()))
        .map(s -> s.replace("'table' = 'orders'", "'table' = '" + table.name() + "'"))
        .map(s -> s.replace("s3://bucket/pinot-staging", directory.toUri().toString()))
        .filter(s -> !s.isBlank())
        .toList();
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

  /** Streams o1 to o8 at time 100, each to its partition, with its number as the value. */
  private static void streamEightOrders(Tables.Created table) throws Exception {
    List<Integer> partitions = List.of(3, 2, 3, 0, 2, 2, 1, 3);
    List<Tables.Message> messages =
        IntStream.rangeClosed(1, 8)
            .mapToObj(
                i ->
                    new Tables.Message(
                        partitions.get(i - 1),
                        "o" + i,
                        Map.of("id", "o" + i, "v", i, "ts", Tables.TIME + 100)))
            .toList();
    Tables.send(kafka, table.name(), messages);
    Tables.patiently().untilAsserted(() -> assertThat(table.byKey("id", "v")).hasSize(8));
  }

  private static Row change(RowKind kind, String id, int v, long ts) {
    return Row.ofKind(kind, id, v, Tables.TIME + ts);
  }

  private static void awaitValues(Tables.Created table, Map<String, String> values) {
    Tables.patiently().untilAsserted(() -> assertThat(table.byKey("id", "v")).isEqualTo(values));
    assertThat(table.number("SELECT COUNT(*)")).isEqualTo(values.size());
  }

  /** One session of Flink SQL, whose jobs run on the shared cluster. */
  private final class Session {
    private final StreamExecutionEnvironment env;
    private final StreamTableEnvironment tables;

    Session() throws Exception {
      this(TestCluster.shared().environmentWithoutCheckpoints(2));
    }

    Session(StreamExecutionEnvironment env) {
      this.env = env;
      this.tables = StreamTableEnvironment.create(env);
    }

    void create(Tables.Created table, String type, String columns, String options) {
      tables.executeSql(
          """
          CREATE TABLE orders %s WITH ('connector' = 'tidemark-pinot', 'controller-url' = '%s',
            'table' = '%s', 'table-type' = '%s', 'staging' = '%s'%s)
          """
              .formatted(
                  columns,
                  Tables.pinot().controllerUrl(),
                  table.name(),
                  type,
                  directory.toUri(),
                  options));
    }

    /** A view of changes with an upsert key. */
    void changes(Row... rows) {
      tables.createTemporaryView(
          "changes",
          tables.fromChangelogStream(
              env.fromData(
                  org.apache.flink.api.common.typeinfo.Types.ROW_NAMED(
                      new String[] {"id", "v", "ts"},
                      org.apache.flink.api.common.typeinfo.Types.STRING,
                      org.apache.flink.api.common.typeinfo.Types.INT,
                      org.apache.flink.api.common.typeinfo.Types.LONG),
                  rows),
              Schema.newBuilder()
                  .column("id", DataTypes.STRING().notNull())
                  .column("v", DataTypes.INT())
                  .column("ts", DataTypes.BIGINT())
                  .primaryKey("id")
                  .build(),
              ChangelogMode.upsert(false)));
    }

    void plan(String insert) {
      StatementSet statements = tables.createStatementSet();
      statements.addInsertSql(insert);
      statements.explain();
    }

    /** A view of a script's rows that does not end. */
    void endless(Script<RowData> script) {
      tables.createTemporaryView(
          "endless", tables.fromDataStream(ScriptedRows.unbounded(env, script, ENDLESS)));
    }

    void run(String insert) throws Exception {
      try (RunningJob job = start(insert)) {
        job.awaitFinished();
      }
    }

    RunningJob start(String insert) throws Exception {
      StreamStatementSet statements = tables.createStatementSet();
      statements.addInsertSql(insert);
      statements.attachAsDataStream();
      return TestCluster.shared().submit(env);
    }
  }
}

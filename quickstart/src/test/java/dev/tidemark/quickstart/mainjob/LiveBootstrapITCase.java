package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.pipeline.LedgerStreams;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.kafka.ChangeTopics;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.quickstart.embedded.EmbeddedDebezium;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedParts;
import dev.tidemark.quickstart.program.LocalFlink;
import dev.tidemark.quickstart.program.RowComparison;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a database that is written all the time to a base table that equals it row by row. */
@NullUnmarked
class LiveBootstrapITCase {
  private static final String TOPIC = "boot." + Orders.TABLE;
  private static final int PARTITIONS = 4;
  private static final int BUCKETS = 2;
  private static final int FIRST_ROWS = 2_000;
  private static final long SEED = 20_261_130;
  private static final TableIdentifier LEDGER = TableIdentifier.of("shop", "orders_ledger");
  private static final TableIdentifier BASE = TableIdentifier.of("shop", "orders");
  private static final TableIdentifier UNTOUCHED = TableIdentifier.of("shop", "untouched");
  private static final TableIdentifier WAITING = TableIdentifier.of("shop", "waiting");
  private static final TableIdentifier WAITING_LEDGER =
      TableIdentifier.of("shop", "waiting_ledger");
  private static final String PASSWORD = "hush-4711";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path directory;

  private static EmbeddedParts parts;
  private static EmbeddedIcebergCatalog catalog;
  private static Connection database;
  private static SparkShell spark;

  @BeforeAll
  static void start() throws Exception {
    catalog = EmbeddedIcebergCatalog.in(directory);
    spark =
        SparkShell.start(
            catalog, directory, Map.of("SOURCE_PASSWORD", PASSWORD, "WRONG_PASSWORD", "mum-0815"));
    parts = EmbeddedParts.start(line -> {});
    database = parts.mariaDb().connect("shop");
    for (String host : List.of("%", "localhost")) {
      execute("CREATE USER 'reader'@'%s' IDENTIFIED BY '%s'".formatted(host, PASSWORD));
      execute("GRANT SELECT ON shop.* TO 'reader'@'%s'".formatted(host));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    spark.close();
    database.close();
    parts.close();
    catalog.close();
  }

  @Test
  void baseTableOfADatabaseUnderWriteEqualsItRowByRow() throws Exception {
    execute(Orders.CREATE);
    parts.kafka().createTopic(TOPIC, PARTITIONS);
    Table ledger =
        catalog.create(LEDGER, Orders.LEDGER.schema(), Orders.LEDGER.partitionSpec(BUCKETS));
    Table base = catalog.create(BASE, Orders.BASE, Orders.partitionSpec(BUCKETS));
    try (OrdersWriter writer = new OrdersWriter(parts.mariaDb().connect("shop"), SEED);
        ChangeTopic topic = new ChangeTopic(parts.kafka().bootstrapServers(), TOPIC, PARTITIONS)) {
      writer.insert(FIRST_ROWS);
      streamFromNowOn();
      // What a session gets that does not ask: neither UTC nor the zone of any JVM here.
      execute("SET GLOBAL time_zone = '+05:30'");
      writer.start();
      await().atMost(PATIENCE).until(() -> writer.counts().deletes() > 20);

      OrdersWriter.Counts before = writer.counts();
      BinlogPosition position = bootstrap(BASE, LEDGER, Orders.TABLE.toString());
      OrdersWriter.Counts during = writer.counts().since(before);
      assertThat(List.of(during.inserts(), during.updates(), during.deletes(), during.renumbered()))
          .as("changes during the dump")
          .allMatch(changes -> changes > 0);
      Set<Long> dumped = new HashSet<>(Orders.rows(base).keySet());

      JobClient job = startLedger(position, catalog.loader(LEDGER));
      try {
        await().atMost(PATIENCE).until(() -> LedgerWatch.rows(refreshed(ledger)) > 0);
        writer.stop();
        awaitAll(topic, ledger, position.gtid());
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
      assertThat(topic.before(position.gtid())).as("changes that nobody reads").isPositive();
      assertThat(idsInsertedIn(ledger)).as("overlap").containsAnyElementsOf(dumped);
      assertThat(compare(base).differing()).as("rows to be mended").isPositive();

      mergeAndCompare(base);
      changesBehindItsBackAreFound();
      lostPositionFailsTheJobForGood(topic, position);
    }
    assertThat(spark.everything()).doesNotContain(PASSWORD);
  }

  private static void streamFromNowOn() {
    EmbeddedDebezium debezium =
        parts.closing(
            parts
                .debezium()
                .tables(Orders.TABLE.toString())
                .topicPrefix("boot")
                .snapshotMode("no_data")
                .partitions(PARTITIONS)
                .stateDirectory(directory.resolve("debezium"))
                .start());
    debezium.awaitStreaming(PATIENCE);
  }

  private static BinlogPosition bootstrap(
      TableIdentifier base, TableIdentifier ledger, String table) throws Exception {
    SparkShell.Result result =
        spark.run(
            words(
                List.of("bootstrap", "--base", name(base), "--ledger", name(ledger)),
                source(table),
                List.of("--split-by", "id", "--connections", "4")));
    assertThat(result.exit()).as(result.output()).isZero();
    String line =
        result.output().lines().filter(text -> text.startsWith("position ")).findFirst().get();
    return BinlogPosition.parse(line.split(" ")[1]);
  }

  private static void awaitAll(ChangeTopic topic, Table ledger, Gtid position) throws Exception {
    // A batch of Debezium is in Kafka as a whole before the next one is begun.
    for (String mark : List.of("first mark", "last mark")) {
      execute(
          "INSERT INTO shop.orders (id, state, note, amount, units, serial, gift, placed) SELECT MAX(id) + 1, '', '%s', 0, 0, 0, 0, NOW() FROM shop.orders"
              .formatted(mark));
      await().atMost(PATIENCE).until(() -> topic.holds(mark));
    }
    long expected = topic.changesAfter(position);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(LedgerWatch.rows(refreshed(ledger))).isEqualTo(expected));
  }

  private static void mergeAndCompare(Table base) throws Exception {
    SparkShell.Result merged = spark.run("merge", "--base", name(BASE), "--ledgers", name(LEDGER));
    assertThat(merged.exit()).as(merged.output()).isZero();
    RowComparison rows = compare(base);
    assertThat(rows.differences()).isEmpty();
    assertThat(rows.rows()).isGreaterThan(1_000);

    SparkShell.Result compared = compareInSpark();
    assertThat(compared.output())
        .contains("CLEAN")
        .contains("rows: %1$d, reference %1$d".formatted(rows.rows()))
        .contains("buckets that differ: 0 of");
    assertThat(compared.exit()).isZero();
  }

  private static void changesBehindItsBackAreFound() throws Exception {
    execute("SET sql_log_bin = 0");
    List<Long> ids = new ArrayList<>(Orders.rows(database).keySet());
    execute("UPDATE shop.orders SET amount = amount + 0.001 WHERE id = " + ids.get(0));
    execute("UPDATE shop.orders SET touched = '2020-01-01' WHERE id = " + ids.get(1));
    execute("DELETE FROM shop.orders WHERE id = " + ids.get(2));
    execute("UPDATE shop.orders SET id = 1000000 WHERE id = " + ids.get(3));
    execute("SET sql_log_bin = 1");
    SparkShell.Result result = compareInSpark();
    assertThat(result.output())
        .contains("5 WRONG KEYS")
        .containsPattern("DIFFERS +2\n")
        .containsPattern("EXTRA +2\n")
        .containsPattern("MISSING +1\n")
        .contains("MISSING {\"id\":1000000}");
    assertThat(result.exit()).isEqualTo(1);
  }

  private static void lostPositionFailsTheJobForGood(ChangeTopic topic, BinlogPosition position)
      throws Exception {
    topic.drop();
    JobClient job = startLedger(position, catalog.loader(LEDGER));
    assertThatThrownBy(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS))
        .hasStackTraceContaining("Cannot start " + TOPIC)
        .hasStackTraceContaining("after " + position.gtid())
        .hasStackTraceContaining("take a new dump, and keep Kafka longer than a dump takes");
  }

  /**
   * A transaction counts in the binlog before its commit has ended. Here one waits in between, for
   * a replica that does not exist: a dump cannot see it, so no position may be after it.
   */
  @Test
  void positionIsNotAheadOfWhatADumpCanRead() throws Exception {
    execute(Orders.CREATE.replace("shop.orders", "shop.waiting"));
    catalog.create(WAITING_LEDGER, Orders.LEDGER.schema(), Orders.LEDGER.partitionSpec(BUCKETS));
    Table base = catalog.create(WAITING, Orders.BASE, Orders.partitionSpec(BUCKETS));
    String insert =
        "INSERT INTO shop.waiting (id, state, amount, units, serial, gift, placed) VALUES (%d, '', 0, 0, 0, 0, NOW())";
    execute(insert.formatted(1));
    execute("SET GLOBAL rpl_semi_sync_master_timeout = 600000");
    execute("SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'");
    try (Connection other = parts.mariaDb().connect("shop");
        Statement statement = other.createStatement()) {
      String before = written();
      execute("SET GLOBAL rpl_semi_sync_master_enabled = ON");
      CompletableFuture<Integer> waiting =
          CompletableFuture.supplyAsync(() -> update(statement, insert.formatted(2)));
      try {
        await().atMost(PATIENCE).until(() -> !written().equals(before));
        BinlogPosition position = bootstrap(WAITING, WAITING_LEDGER, "shop.waiting");
        assertThat(position.gtid()).hasToString(before);
        assertThat(waiting).isNotDone();
        assertThat(Orders.rows(base)).containsOnlyKeys(1L);
      } finally {
        execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
      }
      assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  private static String written() throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@gtid_current_pos")) {
      row.next();
      return row.getString(1);
    }
  }

  private static int update(Statement statement, String sql) {
    try {
      return statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void checklistAsksTheServerHowLongItKeepsItsBinlog() throws Exception {
    catalog.create(UNTOUCHED, Orders.BASE, Orders.partitionSpec(BUCKETS));
    execute("SET GLOBAL binlog_expire_logs_seconds = 604799");
    assertThat(binlogRetention("SOURCE_PASSWORD"))
        .isEqualTo("FAIL     binlog retention       6.9 days (expected: at least 7 days)");
    execute("SET GLOBAL binlog_expire_logs_seconds = 604800");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("PASS ").contains("7 days (");
    execute("SET GLOBAL expire_logs_days = 1");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("FAIL ").contains("1 days (");
    execute("SET GLOBAL expire_logs_days = 0");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("PASS ").contains("kept for ever");
    execute("SET GLOBAL max_binlog_total_size = 1073741824");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("UNKNOWN ").contains("1,073,741,824");
    execute("SET GLOBAL max_binlog_total_size = 0");
    assertThat(binlogRetention("WRONG_PASSWORD"))
        .startsWith("UNKNOWN ")
        .contains("cannot ask the source: Cannot connect to jdbc:mariadb://127.0.0.1")
        .contains("Access denied");
    assertThat(binlogRetention("NO_PASSWORD"))
        .startsWith("UNKNOWN ")
        .contains("environment variable NO_PASSWORD is not set");
    assertThat(spark.everything()).doesNotContain(PASSWORD).doesNotContain("mum-0815");
  }

  private static String binlogRetention(String variable) throws Exception {
    Path facts =
        Files.writeString(
            directory.resolve("facts.properties"),
            "source.url=%s\nsource.user=reader\nsource.password-env=%s\n"
                .formatted(url(), variable));
    SparkShell.Result result =
        spark.run("checklist", "--base", name(UNTOUCHED), "--facts", facts.toString());
    assertThat(result.exit()).isEqualTo(1);
    return result
        .output()
        .lines()
        .filter(line -> line.contains("binlog retention"))
        .findFirst()
        .orElseThrow();
  }

  private static SparkShell.Result compareInSpark() throws Exception {
    return spark.run(
        words(
            List.of("compare", "--base", name(BASE), "--key", "id"),
            source(Orders.TABLE.toString()),
            List.of()));
  }

  private static RowComparison compare(Table base) throws Exception {
    return RowComparison.of(
        new RowComparison.Rows<>("MariaDB", Orders.rows(database)),
        new RowComparison.Rows<>("base table", Orders.rows(base)));
  }

  /** The job as {@link LedgerJob} has it, of another table. */
  private static JobClient startLedger(BinlogPosition position, TableLoader ledger)
      throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(2);
    env.enableCheckpointing(500);
    ChangeTopics topics =
        ChangeTopics.of(parts.kafka().bootstrapServers(), TOPIC).startingAfter(position);
    DataStream<KafkaRecord> records =
        env.fromSource(topics.source("orders"), WatermarkStrategy.noWatermarks(), "orders topic")
            .returns(KafkaRecordCodec.TYPE);
    LedgerStreams streams =
        LedgerStreams.of(
            records,
            DebeziumFormat.declaring(Map.of(Orders.TABLE, Orders.SCHEMA)),
            Orders.LEDGER,
            ChangeEventTime.sourceTime(),
            null);
    streams.deadLetters().print("dead letter");
    TidemarkIcebergSink.forRowData(streams.rows())
        .tableLoader(ledger)
        .eventTime(LedgerStreams.eventTimeColumn())
        .finalization(FinalizationConfig.forWriter("orders").build())
        .append();
    return env.executeAsync("orders ledger");
  }

  private static Set<Long> idsInsertedIn(Table ledger) throws Exception {
    Set<Long> ids = new HashSet<>();
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(ledger).where(Expressions.equal(LedgerSchema.OP, "I")).build()) {
      rows.forEach(row -> ids.add((Long) row.getField("id")));
    }
    return ids;
  }

  private static Table refreshed(Table table) {
    table.refresh();
    return table;
  }

  private static List<String> source(String table) {
    return List.of(
        "--url", url(), "--table", table, "--user", "reader", "--password-env", "SOURCE_PASSWORD");
  }

  private static String url() {
    return "jdbc:mariadb://127.0.0.1:%d/shop?sslMode=disable".formatted(parts.mariaDb().port());
  }

  private static String name(TableIdentifier table) {
    return catalog.name() + "." + table;
  }

  private static String[] words(List<String> first, List<String> second, List<String> third) {
    List<String> words = new ArrayList<>(first);
    words.addAll(second);
    words.addAll(third);
    return words.toArray(String[]::new);
  }

  private static void execute(String sql) throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql);
    }
  }
}

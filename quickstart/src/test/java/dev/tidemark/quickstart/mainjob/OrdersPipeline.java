package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.pipeline.LedgerStreams;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.kafka.ChangeTopics;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import dev.tidemark.pipeline.kafka.StartOffsets;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.quickstart.embedded.EmbeddedDebezium;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedParts;
import dev.tidemark.quickstart.program.LocalFlink;
import dev.tidemark.quickstart.program.RowComparison;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The table of orders on its way from MariaDB through Debezium, Kafka and Flink to ledgers, and
 * through Spark to base tables.
 */
final class OrdersPipeline implements AutoCloseable {
  static final String TOPIC = "boot." + Orders.TABLE;
  static final String PASSWORD = "hush-4711";
  static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int PARTITIONS = 4;
  private static final int BUCKETS = 2;

  private final Path directory;
  private final EmbeddedIcebergCatalog catalog;
  private final SparkShell spark;
  private final EmbeddedParts parts;
  private final Connection database;
  private int marks;

  private OrdersPipeline(
      Path directory,
      EmbeddedIcebergCatalog catalog,
      SparkShell spark,
      EmbeddedParts parts,
      Connection database) {
    this.directory = directory;
    this.catalog = catalog;
    this.spark = spark;
    this.parts = parts;
    this.database = database;
  }

  /**
   * Starts Spark, MariaDB and Kafka; MariaDB with a user {@code reader} who may only read.
   *
   * @param environment of Spark, beside the reader's password
   */
  static OrdersPipeline start(Path directory, Map<String, String> environment) throws Exception {
    Map<String, String> all = new HashMap<>(environment);
    all.put("SOURCE_PASSWORD", PASSWORD);
    EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(directory);
    SparkShell spark = SparkShell.start(catalog, directory, all);
    EmbeddedParts parts = EmbeddedParts.start(line -> {});
    OrdersPipeline pipeline =
        new OrdersPipeline(directory, catalog, spark, parts, parts.mariaDb().connect("shop"));
    for (String host : List.of("%", "localhost")) {
      pipeline.execute("CREATE USER 'reader'@'%s' IDENTIFIED BY '%s'".formatted(host, PASSWORD));
      pipeline.execute("GRANT SELECT ON shop.* TO 'reader'@'%s'".formatted(host));
    }
    return pipeline;
  }

  EmbeddedIcebergCatalog catalog() {
    return catalog;
  }

  SparkShell spark() {
    return spark;
  }

  EmbeddedParts parts() {
    return parts;
  }

  /** To MariaDB, in its own session. */
  Connection database() {
    return database;
  }

  /**
   * Creates the table, with rows that Kafka never holds, and has what is written from then on
   * streamed to Kafka.
   *
   * @return what writes to it, not started
   */
  OrdersWriter createTable(int rows, long seed) throws Exception {
    execute(Orders.CREATE);
    parts.kafka().createTopic(TOPIC, PARTITIONS);
    OrdersWriter writer = new OrdersWriter(parts.mariaDb().connect("shop"), seed);
    writer.insert(rows);
    streamFromNowOn();
    return writer;
  }

  /** What Kafka holds; to be closed. */
  ChangeTopic topic() {
    return new ChangeTopic(parts.kafka().bootstrapServers(), TOPIC, PARTITIONS);
  }

  private void streamFromNowOn() {
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

  Table createLedger(TableIdentifier ledger) {
    return catalog.create(ledger, Orders.LEDGER.schema(), Orders.LEDGER.partitionSpec(BUCKETS));
  }

  Table createBase(TableIdentifier base) {
    return catalog.create(base, Orders.BASE, Orders.partitionSpec(BUCKETS));
  }

  /**
   * Loads a base table.
   *
   * @param port of the server that is read
   */
  BinlogPosition bootstrap(TableIdentifier base, TableIdentifier ledger, int port, String table)
      throws Exception {
    SparkShell.Result result =
        run(
            List.of("bootstrap", "--base", name(base), "--ledger", name(ledger)),
            source(port, table),
            List.of("--split-by", "id", "--connections", "4"));
    assertThat(result.exit()).as(result.output()).isZero();
    String line =
        result
            .output()
            .lines()
            .filter(text -> text.startsWith("position "))
            .findFirst()
            .orElseThrow();
    return BinlogPosition.parse(line.split(" ")[1]);
  }

  /** Merges what is in a ledger; fails if that fails. */
  void merge(TableIdentifier base, TableIdentifier ledger) throws Exception {
    SparkShell.Result merged =
        run(List.of("merge", "--base", name(base), "--ledgers", name(ledger)));
    assertThat(merged.exit()).as(merged.output()).isZero();
  }

  /** The base table beside a server's table, as the command line compares them. */
  SparkShell.Result compare(TableIdentifier base, int port, String... more) throws Exception {
    return run(
        List.of("compare", "--base", name(base), "--key", "id"),
        source(port, Orders.TABLE.toString()),
        List.of(more));
  }

  /** The base table beside MariaDB, row by row, in this JVM. */
  RowComparison rows(Table base) throws Exception {
    return RowComparison.of(
        new RowComparison.Rows<>("MariaDB", Orders.rows(database)),
        new RowComparison.Rows<>("base table", Orders.rows(base)));
  }

  /** The job as {@link LedgerJob} has it, of a ledger that starts after a position. */
  JobClient startLedger(TableIdentifier ledger, BinlogPosition position) throws Exception {
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
        .tableLoader(catalog.loader(ledger))
        .eventTime(LedgerStreams.eventTimeColumn())
        .finalization(FinalizationConfig.forWriter("orders").build())
        .append();
    return env.executeAsync("orders ledger");
  }

  /** Where a ledger that starts after a position begins to read. */
  Map<TopicPartition, Long> offsetsAfter(BinlogPosition position) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", parts.kafka().bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(TOPIC).stream()
              .map(info -> new TopicPartition(TOPIC, info.partition()))
              .toList();
      return new StartOffsets(consumer, Duration.ofMinutes(5), PATIENCE)
          .after(partitions, position);
    }
  }

  /**
   * Waits until Kafka holds all that MariaDB has written so far, and two rows more, and reads it.
   */
  void awaitAllIn(ChangeTopic topic) throws Exception {
    // A batch of Debezium is in Kafka as a whole before the next one is begun.
    for (int i = 0; i < 2; i++) {
      String mark = "mark " + ++marks + ".";
      execute(
          "INSERT INTO shop.orders (id, state, note, amount, units, serial, gift, placed) SELECT MAX(id) + 1, '', '%s', 0, 0, 0, 0, NOW() FROM shop.orders"
              .formatted(mark));
      topic.await(mark, PATIENCE);
    }
    topic.readToEnd();
  }

  /** Waits until a ledger holds all that is in Kafka after the position that it started after. */
  static void awaitAllIn(Table ledger, ChangeTopic topic, BinlogPosition position)
      throws Exception {
    long expected = topic.changesAfter(position.gtid());
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              ledger.refresh();
              assertThat(LedgerWatch.rows(ledger)).isEqualTo(expected);
            });
  }

  String name(TableIdentifier table) {
    return catalog.name() + "." + table;
  }

  /** The URL of a server on this machine, without a login. */
  static String url(int port) {
    return "jdbc:mariadb://127.0.0.1:%d/shop?sslMode=disable".formatted(port);
  }

  private static List<String> source(int port, String table) {
    return List.of(
        "--url",
        url(port),
        "--table",
        table,
        "--user",
        "reader",
        "--password-env",
        "SOURCE_PASSWORD");
  }

  @SafeVarargs
  private SparkShell.Result run(List<String>... words) throws Exception {
    return spark.run(Stream.of(words).flatMap(List::stream).toArray(String[]::new));
  }

  /** Runs a statement in MariaDB. */
  void execute(String sql) throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws Exception {
    spark.close();
    database.close();
    parts.close();
    catalog.close();
  }
}

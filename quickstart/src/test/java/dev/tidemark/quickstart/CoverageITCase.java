package dev.tidemark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.pipeline.LedgerStreams;
import dev.tidemark.pipeline.coverage.CoverageSettings;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import dev.tidemark.pipeline.kafka.KafkaRecordSchema;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedParts;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.TableLoader;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Coverage and promises of a real Kafka source, fed by a real database with heartbeat rows. */
@NullUnmarked
class CoverageITCase {
  private static final TableId ORDERS = new TableId("shop", "orders");
  private static final TableId HEARTBEAT = new TableId("shop", "heartbeat");
  private static final String TOPIC = "cov." + ORDERS;
  private static final String HEARTBEAT_TOPIC = "cov." + HEARTBEAT;
  private static final int PARTITIONS = 3;
  private static final TableIdentifier TABLE = TableIdentifier.of("shop", "orders_ledger");
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final LedgerSchema LEDGER =
      LedgerSchema.of(ORDERS, List.of(Column.required("id", ColumnType.of(ColumnType.Kind.INT32))));

  @TempDir Path directory;

  @Test
  void heartbeatsMoveTheWatermarkWithoutRowsAndCoverageMatchesKafka() throws Exception {
    try (EmbeddedParts parts = EmbeddedParts.start(line -> {});
        EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(directory);
        Connection database = parts.mariaDb().connect("")) {
      execute(database, "CREATE DATABASE shop");
      execute(database, "CREATE TABLE shop.orders (id INT PRIMARY KEY, v INT NOT NULL)");
      parts.kafka().createTopic(TOPIC, PARTITIONS);
      parts.kafka().createTopic(HEARTBEAT_TOPIC, 1);
      parts.closing(
          parts
              .debezium()
              .tables(ORDERS.toString())
              .topicPrefix("cov")
              .partitions(PARTITIONS)
              .heartbeat(HEARTBEAT.toString(), Duration.ofMillis(300))
              .stateDirectory(directory.resolve("debezium"))
              .start());
      Table table = catalog.create(TABLE, LEDGER.schema(), LEDGER.partitionSpec(1));
      JobClient job = start(parts.kafka().bootstrapServers(), catalog.loader(TABLE));
      try {
        for (int id = 1; id <= 9; id++) {
          execute(database, "INSERT INTO shop.orders VALUES (" + id + ", 0)");
        }
        execute(database, "DELETE FROM shop.orders WHERE id = 9");
        await().atMost(PATIENCE).until(() -> rows(table) == 10);
        long lastRow = newestEventTime(table);

        await().atMost(PATIENCE).until(() -> watermark(table) > lastRow + 3_000);

        Opinion opinion = opinion(table.currentSnapshot());
        assertThat(opinion.watermark().evidence()).isEqualTo(Evidence.PROMISE);
        assertThat(rows(table)).isEqualTo(10);
        assertThat(emptyCommitsThatMovedTheWatermark(table)).isPositive();
        assertCoverageMatchesKafka(table);
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
  }

  /** Every partition is expected, one that never delivered too; tombstones count as read. */
  private static void assertCoverageMatchesKafka(Table table) {
    Coverage coverage =
        FinalizationProperties.readCoverage(table.currentSnapshot().summary()).orElseThrow();
    assertThat(coverage.expected()).isEqualTo(PARTITIONS);
    assertThat(coverage.partitions()).hasSize(PARTITIONS);
    long records = 0;
    for (Map.Entry<String, PartitionProgress> entry : coverage.partitions().entrySet()) {
      assertThat(entry.getKey()).startsWith(TOPIC + "-");
      assertThat(entry.getValue().standsAtEnd()).as(entry.toString()).isTrue();
      assertThat(entry.getValue().promisedMillis()).as(entry.toString()).isNotNull();
      records += entry.getValue().endOffset();
    }
    assertThat(records).as("nine inserts, a delete and its tombstone").isEqualTo(11);
  }

  private static JobClient start(String bootstrapServers, TableLoader ledger) throws Exception {
    Configuration configuration = new Configuration();
    configuration.setString("rest.bind-port", "0");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    env.enableCheckpointing(400);
    DataStream<KafkaRecord> records =
        env.fromSource(
                KafkaSource.<KafkaRecord>builder()
                    .setBootstrapServers(bootstrapServers)
                    .setTopics(TOPIC, HEARTBEAT_TOPIC)
                    .setGroupId("coverage")
                    .setStartingOffsets(OffsetsInitializer.earliest())
                    .setDeserializer(new KafkaRecordSchema())
                    .build(),
                WatermarkStrategy.noWatermarks(),
                "orders")
            .returns(KafkaRecordCodec.TYPE);
    LedgerStreams streams =
        LedgerStreams.of(
            records,
            DebeziumFormat.undeclared(),
            LEDGER,
            ChangeEventTime.sourceTime(),
            CoverageSettings.of(bootstrapServers, List.of(TOPIC), ChangeEventTime.sourceTime())
                .with(
                    new CoverageSettings.Heartbeat(
                        HEARTBEAT, Duration.ofSeconds(1), Duration.ofMillis(500))));
    TidemarkIcebergSink.forRowData(streams.rows())
        .tableLoader(ledger)
        .eventTime(LedgerStreams.eventTimeColumn())
        .finalization(
            FinalizationConfig.forWriter("orders")
                .policy(FinalizationPolicy.SOURCE_PROMISE)
                .granularity(Granularity.of(Duration.ofSeconds(1)))
                .readFromBeginning()
                .coverageExpected()
                .build())
        .coverage(Objects.requireNonNull(streams.sourceReports()))
        .append();
    return env.executeAsync("coverage");
  }

  private static long emptyCommitsThatMovedTheWatermark(Table table) {
    List<Snapshot> snapshots = new ArrayList<>();
    table.snapshots().forEach(snapshots::add);
    return snapshots.stream()
        .filter(s -> "0".equals(s.summary().get(EventTimeProperties.PREFIX + "count")))
        .filter(s -> s.summary().containsKey(FinalizationProperties.COMMIT_ID))
        .filter(s -> opinion(s).hold() == null)
        .count();
  }

  private static long newestEventTime(Table table) {
    long newest = 0;
    for (Snapshot snapshot : table.snapshots()) {
      String max = snapshot.summary().get(EventTimeProperties.PREFIX + "max-ms");
      newest = max == null ? newest : Math.max(newest, Long.parseLong(max));
    }
    return newest;
  }

  private static long watermark(Table table) {
    table.refresh();
    Snapshot head = table.currentSnapshot();
    Long watermark = head == null ? null : opinion(head).watermarkMillis();
    return watermark == null ? 0 : watermark;
  }

  private static long rows(Table table) {
    table.refresh();
    Snapshot head = table.currentSnapshot();
    return head == null ? 0 : Long.parseLong(head.summary().get("total-records"));
  }

  private static Opinion opinion(Snapshot snapshot) {
    return FinalizationProperties.readOpinion(snapshot.summary()).orElseThrow();
  }

  private static void execute(Connection database, String sql) throws Exception {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql);
    }
  }
}

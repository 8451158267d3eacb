package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.pipeline.LedgerStreams;
import dev.tidemark.pipeline.coverage.CoverageSettings;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.kafka.ChangeTopics;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.quickstart.program.LocalFlink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.DistributionMode;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.TableLoader;

/**
 * The Flink job: Kafka change topic to Iceberg ledger, with facts, coverage and a watermark.
 *
 * @param topics the change topic of the flights table, and where to begin
 * @param checkpointInterval how often the ledger gets a commit
 */
record LedgerJob(ChangeTopics topics, Duration checkpointInterval) {
  static final TableIdentifier TABLE = TableIdentifier.of("air", "flights_ledger");
  static final LedgerSchema LEDGER =
      LedgerSchema.of(
          FlightDatabase.TABLE, List.of(FlightDatabase.SCHEMA.column("id").orElseThrow()));
  private static final ChangeEventTime EVENT_TIME =
      ChangeEventTime.of("departure", EventTimeUnit.ISO_8601);
  private static final int PARALLELISM = 2;
  private static final int LOOKBACK_COMMITS = 3;

  /** Starts the job in this JVM. */
  JobClient start(TableLoader ledger) throws Exception {
    StreamExecutionEnvironment env = environment();
    sink(streams(env), ledger).append();
    return env.executeAsync("flights ledger");
  }

  /** Where the job runs. */
  StreamExecutionEnvironment environment() {
    StreamExecutionEnvironment env = LocalFlink.environment(PARALLELISM);
    env.enableCheckpointing(checkpointInterval.toMillis());
    return env;
  }

  /** From the topic to the rows of the ledger. */
  LedgerStreams streams(StreamExecutionEnvironment env) {
    // Offsets live in checkpoints; committing them to Kafka too would only show lag there.
    KafkaSource<KafkaRecord> source =
        topics.with("commit.offsets.on.checkpoint", "false").source("tidemark-quickstart");
    DataStream<KafkaRecord> records =
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "flights topic")
            .returns(KafkaRecordCodec.TYPE)
            .uid("flights-topic");
    LedgerStreams streams =
        LedgerStreams.of(
            records,
            DebeziumFormat.declaring(Map.of(FlightDatabase.TABLE, FlightDatabase.SCHEMA)),
            LEDGER,
            EVENT_TIME,
            CoverageSettings.of(topics, EVENT_TIME));
    streams.deadLetters().print("dead letter");
    return streams;
  }

  /** The ledger's sink, not appended yet. */
  TidemarkIcebergSink sink(LedgerStreams streams, TableLoader ledger) {
    // The flights are history, so the window spans commits alone; live streams keep the 30 minutes.
    return TidemarkIcebergSink.forRowData(streams.rows())
        .tableLoader(ledger)
        .distributionMode(DistributionMode.NONE)
        .eventTime(LedgerStreams.eventTimeColumn())
        .finalization(
            FinalizationConfig.forWriter("flights")
                .lookback(LOOKBACK_COMMITS, Duration.ZERO)
                .readFromBeginning()
                .coverageExpected()
                .build())
        .coverage(Objects.requireNonNull(streams.sourceReports()));
  }
}

package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.flink.KeySerializer;
import dev.tidemark.pinot.flink.PinotPartitioning;
import dev.tidemark.pipeline.LedgerStreams;
import dev.tidemark.quickstart.pinot.ProgramTable;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.iceberg.flink.TableLoader;

/**
 * The main job with a second sink: each change becomes a row of the ledger in Iceberg and a version
 * of a row in Pinot.
 *
 * @param ledger the main job
 * @param iceberg gets the facts of Iceberg's commits
 * @param pinot gets the facts of Pinot's commits
 * @param staging where segments wait to be published
 */
record BothSinksJob(
    LedgerJob ledger, CommittedFacts iceberg, CommittedFacts pinot, String staging) {
  private static final int CHECKPOINTS_PER_PINOT_COMMIT = 4;

  /** Starts the job in this JVM. */
  JobClient start(TableLoader ledgerTable, ProgramTable current) throws Exception {
    StreamExecutionEnvironment env = ledger.environment();
    LedgerStreams streams = ledger.streams(env);
    ledger.sink(streams, ledgerTable).processor(iceberg.hook()).append();
    streams
        .rows()
        .sinkTo(
            current
                .sink(new CurrentFlights.Converter(LedgerJob.LEDGER))
                .staging(staging)
                .commitEveryCheckpoints(CHECKPOINTS_PER_PINOT_COMMIT)
                .partitioning(
                    PinotPartitioning.kafka(MainJob.PARTITIONS, KeySerializer.string(), "id"))
                // The topic of the table stays empty, so there are no keys to prove it by.
                .acceptUnprovenPartitioning()
                .eventTime(new LedgerEventTime(LedgerJob.LEDGER))
                .finalization(FinalizationConfig.forWriter("flights").build())
                .opinionSource(new IcebergOpinion(ledgerTable.clone()))
                .processor(pinot.hook())
                .build())
        .name("Pinot " + current.name())
        .uid("pinot");
    return env.executeAsync("flights in Iceberg and Pinot");
  }
}

package dev.tidemark.iceberg.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.EmbeddedCatalog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SinkSmokeITCase {
  @TempDir Path directory;

  @Test
  void commitsRowsFactsAndOpinion() throws Exception {
    EmbeddedCatalog catalog = EmbeddedCatalog.in(directory);
    catalog.create("events", Map.of());
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(2);
    env.enableCheckpointing(500);
    long start = Instant.parse("2026-01-01T08:00:00Z").toEpochMilli();
    DataStream<RowData> rows =
        env.fromData(LongStream.range(0, 1000).boxed().toList())
            .map(
                id ->
                    (RowData)
                        GenericRowData.of(
                            id, TimestampData.fromEpochMillis(start + id * 20_000L), id.intValue()))
            .returns(InternalTypeInfo.of(FlinkSchemaUtil.convert(EmbeddedCatalog.EVENTS)));
    TidemarkIcebergSink.forRowData(rows)
        .tableLoader(catalog.loader("events"))
        .eventTime(EventTimeColumn.timestamp("event_time"))
        .finalization(
            FinalizationConfig.forWriter("w")
                .lookback(1, Duration.ZERO)
                .readFromBeginning()
                .build())
        .inputIsComplete()
        .append();
    env.execute();
    Table table = catalog.load("events");
    table.snapshots().forEach(s -> System.out.println(s.summary()));
    System.out.println(table.properties());
    assertThat(table.currentSnapshot().summary()).containsEntry("total-records", "1000");
    assertThat(table.properties()).containsEntry("finalization.watermark", "2026-01-01T14:00:00Z");
  }
}

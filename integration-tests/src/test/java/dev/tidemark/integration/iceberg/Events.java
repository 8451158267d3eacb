package dev.tidemark.integration.iceberg;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.integration.ScriptedRows;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;

/** Rows of {@link EmbeddedCatalog#EVENTS}, one a minute, and the sink that most tests use. */
public final class Events {
  /** The event time of id 0. */
  public static final Instant START = Instant.parse("2026-01-01T08:00:00Z");

  /** The writer's name. */
  public static final String WRITER = "w";

  private Events() {}

  /** The rows of ids from (inclusive) to (exclusive): id n happened n minutes after the start. */
  public static List<RowData> rows(long from, long to) {
    return LongStream.range(from, to).mapToObj(id -> row(id, timeOf(id))).toList();
  }

  /** One row. */
  public static RowData row(long id, Instant eventTime) {
    return GenericRowData.of(
        id, eventTime == null ? null : TimestampData.fromInstant(eventTime), (int) id);
  }

  /** When an id happened. */
  public static Instant timeOf(long id) {
    return START.plus(Duration.ofMinutes(id));
  }

  /** The ids from (inclusive) to (exclusive). */
  public static List<Long> ids(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** Finalization after each commit, of a source that is read from its beginning. */
  public static FinalizationConfig.Builder finalization() {
    return FinalizationConfig.forWriter(WRITER).lookback(1, Duration.ZERO).readFromBeginning();
  }

  /** A finalizing sink of a script's rows, to be appended. */
  public static TidemarkIcebergSink sink(
      StreamExecutionEnvironment env, Script<RowData> script, TestTable table) {
    return TidemarkIcebergSink.forRowData(
            ScriptedRows.unbounded(env, script, EmbeddedCatalog.EVENTS))
        .tableLoader(table.loader())
        .uidSuffix("events")
        .eventTime(EventTimeColumn.timestamp("event_time"))
        .finalization(finalization().build());
  }

  /** The same sink at the end of a stream that ends. */
  public static TidemarkIcebergSink boundedSink(
      StreamExecutionEnvironment env, Script<RowData> script, TestTable table) {
    return TidemarkIcebergSink.forRowData(ScriptedRows.bounded(env, script, EmbeddedCatalog.EVENTS))
        .tableLoader(table.loader())
        .uidSuffix("events")
        .eventTime(EventTimeColumn.timestamp("event_time"))
        .finalization(finalization().build());
  }
}

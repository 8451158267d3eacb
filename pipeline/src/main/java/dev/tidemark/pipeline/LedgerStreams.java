package dev.tidemark.pipeline;

import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.pipeline.coverage.CoverageSettings;
import dev.tidemark.pipeline.deadletter.DeadLetter;
import dev.tidemark.pipeline.deadletter.DecodeOperator;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SideOutputDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one ledger: its rows, the records that could not become rows, and where the source
 * stands. Every operator has a uid, so that a changed job finds its state.
 *
 * @param rows rows in the order of {@link LedgerSchema}; all inserts
 * @param deadLetters records that could not be decoded or mapped, with the reason
 * @param sourceReports for the sink's coverage; null where it is off
 */
public record LedgerStreams(
    DataStream<RowData> rows,
    DataStream<DeadLetter> deadLetters,
    @Nullable DataStream<byte[]> sourceReports) {

  /**
   * The event time of a ledger, for its sink: rows of a snapshot, and changes that the connector
   * sent again, are counted apart and move nothing.
   */
  public static EventTimeColumn eventTimeColumn() {
    return EventTimeColumn.timestamp(LedgerSchema.EVENT_TIME)
        .withSnapshotColumn(LedgerSchema.SNAPSHOT)
        .withBackfillColumn(LedgerSchema.RESENT);
  }

  /**
   * Decodes and maps the records of a source.
   *
   * @param records records as the source reads them; decoding is chained to it with its
   *     parallelism, so that one subtask sees all of a partition
   * @param coverage how the source reports where it stands; null for not at all
   */
  public static LedgerStreams of(
      DataStream<KafkaRecord> records,
      DebeziumFormat format,
      LedgerSchema schema,
      ChangeEventTime eventTime,
      @Nullable CoverageSettings coverage) {
    String table = schema.table().toString();
    SingleOutputStreamOperator<ChangeEvent> changes =
        records
            .transform(
                "Decode " + table,
                ChangeEventCodec.TYPE,
                new DecodeOperator(format, false, coverage))
            .uid("decode-" + table)
            .setParallelism(records.getParallelism());
    SingleOutputStreamOperator<RowData> rows =
        changes
            .process(new LedgerRowFunction(schema, eventTime, DecodeOperator.DEAD_LETTERS))
            .returns(InternalTypeInfo.of(schema.rowType()))
            .name("Ledger rows " + table)
            .uid("ledger-rows-" + table)
            .setParallelism(records.getParallelism());
    SideOutputDataStream<DeadLetter> undecoded = changes.getSideOutput(DecodeOperator.DEAD_LETTERS);
    return new LedgerStreams(
        rows,
        undecoded.union(rows.getSideOutput(DecodeOperator.DEAD_LETTERS)),
        coverage == null ? null : changes.getSideOutput(DecodeOperator.SOURCE_REPORTS));
  }
}

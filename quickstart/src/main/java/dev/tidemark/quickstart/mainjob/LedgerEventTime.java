package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.RecordRole;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * The event time of a ledger's rows for a sink other than Iceberg's: the same as {@link
 * dev.tidemark.pipeline.LedgerStreams#eventTimeColumn} is for that one.
 */
final class LedgerEventTime implements EventTimeExtractor<RowData> {
  private static final long serialVersionUID = 1L;

  private final int time;
  private final int precision;
  private final int snapshot;
  private final int resent;

  LedgerEventTime(LedgerSchema ledger) {
    RowType rows = ledger.rowType();
    this.time = rows.getFieldIndex(LedgerSchema.EVENT_TIME);
    this.precision = LogicalTypeChecks.getPrecision(rows.getTypeAt(time));
    this.snapshot = rows.getFieldIndex(LedgerSchema.SNAPSHOT);
    this.resent = rows.getFieldIndex(LedgerSchema.RESENT);
  }

  @Override
  public boolean hasEventTime(RowData row) {
    return !row.isNullAt(time);
  }

  @Override
  public long eventTimeMillis(RowData row) {
    return row.getTimestamp(time, precision).getMillisecond();
  }

  @Override
  public RecordRole role(RowData row) {
    if (row.getBoolean(snapshot)) {
      return RecordRole.SNAPSHOT;
    }
    return row.getBoolean(resent) ? RecordRole.BACKFILL : RecordRole.STREAM;
  }
}

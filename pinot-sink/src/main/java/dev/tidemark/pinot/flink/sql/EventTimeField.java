package dev.tidemark.pinot.flink.sql;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.eventtime.RecordRole;
import dev.tidemark.finalization.flink.sql.FinalizationSettings;
import java.io.Serializable;
import java.util.Objects;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/** Reads the event time of a row from one of its columns. Immutable. */
final class EventTimeField implements EventTimeExtractor<RowData> {
  private static final long serialVersionUID = 1L;

  private final int position;
  private final Reading reading;
  private final EventTimeRoles roles;

  private EventTimeField(int position, Reading reading, EventTimeRoles roles) {
    this.position = position;
    this.reading = reading;
    this.roles = roles;
  }

  /** From a row and the column's position to epoch milliseconds. */
  private interface Reading extends Serializable {
    long millis(RowData row, int position);
  }

  /**
   * The columns of these names.
   *
   * @throws IllegalArgumentException if one is not there, or type and unit do not fit
   */
  static EventTimeField of(RowType rows, FinalizationSettings.EventTime time) {
    EventTimeRoles roles = EventTimeRoles.of(rows, time.snapshotColumn(), time.backfillColumn());
    int position = rows.getFieldIndex(time.column());
    if (position < 0) {
      throw new IllegalArgumentException("no such column in " + rows.asSummaryString());
    }
    return new EventTimeField(position, reading(rows.getTypeAt(position), time.unit()), roles);
  }

  @Override
  public boolean hasEventTime(RowData row) {
    return !row.isNullAt(position);
  }

  @Override
  public long eventTimeMillis(RowData row) {
    return reading.millis(row, position);
  }

  @Override
  public RecordRole role(RowData row) {
    return roles.of(row);
  }

  private static Reading reading(LogicalType type, @Nullable EventTimeUnit unit) {
    return switch (type.getTypeRoot()) {
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
        check(unit == null, type, unit);
        int precision = LogicalTypeChecks.getPrecision(type);
        yield (row, at) -> row.getTimestamp(at, precision).getMillisecond();
      }
      case BIGINT -> {
        check(unit != null && unit != EventTimeUnit.ISO_8601, type, unit);
        EventTimeUnit of = Objects.requireNonNull(unit);
        yield (row, at) -> of.toMillis(row.getLong(at));
      }
      case CHAR, VARCHAR -> {
        check(unit != null, type, unit);
        yield text(Objects.requireNonNull(unit));
      }
      default -> throw new IllegalArgumentException("it is of type " + type.asSummaryString());
    };
  }

  /** Text that is no time is counted as invalid, as any time outside the bounds. */
  private static Reading text(EventTimeUnit unit) {
    return (row, at) -> {
      try {
        return unit.parseMillis(row.getString(at).toString());
      } catch (IllegalArgumentException e) {
        return Long.MIN_VALUE;
      }
    };
  }

  private static void check(boolean fits, LogicalType type, @Nullable EventTimeUnit unit) {
    if (!fits) {
      throw new IllegalArgumentException(
          "type %s and unit %s do not fit (expected: no unit for a timestamp, seconds to nanos or tso for a BIGINT, any for a STRING)"
              .formatted(type.asSummaryString(), unit));
    }
  }
}

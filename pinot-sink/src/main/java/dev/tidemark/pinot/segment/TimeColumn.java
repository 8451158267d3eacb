package dev.tidemark.pinot.segment;

import static org.apache.pinot.spi.data.DateTimeFieldSpec.TimeFormat.SIMPLE_DATE_FORMAT;

import dev.tidemark.pinot.segment.RejectedRowException.Reason;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.DateTimeFormatSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.TimeUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads the table's time column. Pinot refuses a whole segment whose first or last time is out of
 * the range 1971 to 2071; here a single row is refused. Used by one thread.
 */
final class TimeColumn {
  private final String name;
  private final DateTimeFormatSpec format;
  private final boolean checksRange;
  private final boolean isTextOrder;
  private @Nullable Object lastValue;
  private long lastMillis;

  private TimeColumn(DateTimeFieldSpec spec, boolean checksRange) {
    this.name = spec.getName();
    this.format = spec.getFormatSpec();
    this.checksRange = checksRange;
    this.isTextOrder =
        format.getTimeFormat() == SIMPLE_DATE_FORMAT
            || !spec.getDataType().getStoredType().isNumeric();
  }

  static TimeColumn of(TableConfig config, Schema schema, String column) {
    DateTimeFieldSpec spec = schema.getSpecForTimeColumn(column);
    if (spec == null) {
      throw new IllegalArgumentException("Missing time column \"" + column + "\" in " + schema);
    }
    return new TimeColumn(spec, checksRange(config.getIngestionConfig()));
  }

  String name() {
    return name;
  }

  /**
   * Whether the order of the column's values need not be that of their times, so that a segment
   * must be told its first and last.
   */
  boolean isTextOrder() {
    return isTextOrder;
  }

  /**
   * The time of a value in Pinot's own representation.
   *
   * @throws RejectedRowException if it cannot be read, or is out of range and the table checks that
   */
  long millis(Object value) throws RejectedRowException {
    boolean isCounted = value instanceof Number && format.getTimeFormat() != SIMPLE_DATE_FORMAT;
    long millis = isCounted ? ofNumber(((Number) value).longValue()) : ofText(value);
    if (checksRange && !TimeUtils.timeValueInValidRange(millis)) {
      throw rejected("Time out of range (expected: from 1971 to 2071)", value, null);
    }
    return millis;
  }

  /**
   * The default value of the column, in the column's own type.
   *
   * @return null if the schema gives none that is a valid time
   */
  @Nullable Object validDefault(DateTimeFieldSpec spec) {
    try {
      millis(spec.getDefaultNullValue());
      return spec.getDefaultNullValue();
    } catch (RejectedRowException e) {
      return null;
    }
  }

  private long ofNumber(long value) throws RejectedRowException {
    try {
      return format.fromFormatToMillis(value);
    } catch (RuntimeException e) {
      throw rejected("Unreadable time", value, e);
    }
  }

  private long ofText(Object value) throws RejectedRowException {
    if (value.equals(lastValue)) {
      return lastMillis;
    }
    try {
      lastMillis = format.fromFormatToMillis(value.toString());
    } catch (RuntimeException e) {
      throw rejected("Unreadable time", value, e);
    }
    lastValue = value;
    return lastMillis;
  }

  private RejectedRowException rejected(String what, Object value, @Nullable Throwable cause) {
    return new RejectedRowException(Reason.BAD_TIME, what, name, value, cause);
  }

  private static boolean checksRange(@Nullable IngestionConfig ingestion) {
    return ingestion == null
        || ingestion.isSegmentTimeValueCheck()
        || ingestion.isRowTimeValueCheck();
  }
}

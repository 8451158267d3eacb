package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.DateTimeFormatSpec;
import org.jspecify.annotations.Nullable;

/** Reads a time column's value as it stands in a row, before Pinot's transforms. Immutable. */
final class TimeReading implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String format;
  private final @Nullable Long millisPerStep;
  private transient @Nullable DateTimeFormatSpec parser;

  /**
   * @param format of the column, as its schema writes it: {@code 1:MILLISECONDS:EPOCH}
   */
  TimeReading(String format) {
    this.format = format;
    DateTimeFormatSpec spec = new DateTimeFormatSpec(format);
    this.millisPerStep = millisPerStep(spec);
  }

  /** Epoch milliseconds; null if the value is no time, which the buffer will find out too. */
  @Nullable Long millis(@Nullable Object value) {
    if (value instanceof Number number && millisPerStep != null) {
      return number.longValue() * millisPerStep;
    }
    Long calendar = calendarMillis(value);
    return calendar != null || value == null ? calendar : parsed(value.toString());
  }

  /** Epoch milliseconds of a {@code java.time} value or a date, read in UTC; null of others. */
  static @Nullable Long calendarMillis(@Nullable Object value) {
    if (value instanceof Instant instant) {
      return instant.toEpochMilli();
    }
    if (value instanceof LocalDateTime local) {
      return local.toInstant(ZoneOffset.UTC).toEpochMilli();
    }
    if (value instanceof LocalDate date) {
      return date.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
    }
    if (value instanceof OffsetDateTime offset) {
      return offset.toInstant().toEpochMilli();
    }
    if (value instanceof ZonedDateTime zoned) {
      return zoned.toInstant().toEpochMilli();
    }
    return value instanceof Date date ? (Long) date.getTime() : null;
  }

  private static @Nullable Long millisPerStep(DateTimeFormatSpec spec) {
    if (spec.getTimeFormat() == DateTimeFieldSpec.TimeFormat.EPOCH) {
      return TimeUnit.MILLISECONDS.convert(spec.getColumnSize(), spec.getColumnUnit());
    }
    return spec.getTimeFormat() == DateTimeFieldSpec.TimeFormat.TIMESTAMP ? Long.valueOf(1) : null;
  }

  private @Nullable Long parsed(String text) {
    if (parser == null) {
      parser = new DateTimeFormatSpec(format);
    }
    try {
      return parser.fromFormatToMillis(text);
    } catch (RuntimeException e) {
      return null;
    }
  }
}

package dev.tidemark.pipeline.ledger;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.RowImage;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** The event time in a column of an image. */
final class ImageEventTime {
  private static final long EARLIEST = micros(Instant.parse("1900-01-01T00:00:00Z"));
  private static final long END = micros(Instant.parse("2200-01-01T00:00:00Z"));

  private ImageEventTime() {}

  static @Nullable Long micros(ChangeEvent event, String column, EventTimeUnit unit)
      throws UnmappableEventException {
    Object value = value(event, column);
    if (value == null) {
      return null;
    }
    try {
      long micros = micros(value, unit);
      if (micros >= EARLIEST && micros < END) {
        return micros;
      }
    } catch (ArithmeticException | DateTimeException e) {
      throw unusable(event, column, value, unit);
    }
    throw unusable(event, column, value, unit);
  }

  private static @Nullable Object value(ChangeEvent event, String column) {
    RowImage row = event.row();
    if (row != null && row.has(column)) {
      return row.value(column);
    }
    RowImage before = event.before();
    return event.operation() == Operation.UPDATE && before != null ? before.value(column) : null;
  }

  private static long micros(Object value, EventTimeUnit unit) {
    if (value instanceof Long number) {
      return unit.toMicros(number);
    } else if (value instanceof Instant instant) {
      return micros(instant);
    } else if (value instanceof LocalDateTime dateTime) {
      return micros(dateTime.toInstant(ZoneOffset.UTC));
    } else if (value instanceof LocalDate date) {
      return micros(date.atStartOfDay().toInstant(ZoneOffset.UTC));
    } else if (value instanceof String text && unit == EventTimeUnit.ISO_8601) {
      return micros(instant(text));
    }
    throw new DateTimeException("no time");
  }

  private static Instant instant(String text) {
    int time = text.indexOf('T');
    boolean zoned =
        text.endsWith("Z") || text.indexOf('+', time) > 0 || text.indexOf('-', time) > 0;
    if (time < 0) {
      String date = text.endsWith("Z") ? text.substring(0, text.length() - 1) : text;
      return LocalDate.parse(date).atStartOfDay().toInstant(ZoneOffset.UTC);
    }
    return zoned
        ? OffsetDateTime.parse(text).toInstant()
        : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
  }

  private static long micros(Instant instant) {
    long seconds = Math.multiplyExact(instant.getEpochSecond(), 1_000_000L);
    return Math.addExact(seconds, instant.getNano() / 1_000);
  }

  private static UnmappableEventException unusable(
      ChangeEvent event, String column, Object value, EventTimeUnit unit) {
    return new UnmappableEventException(
        "Cannot read the event time of %s: %s.%s: %s (expected: %s between 1900 and 2200). Check the declared unit."
            .formatted(event.kafka(), event.table(), column, value, unit));
  }
}

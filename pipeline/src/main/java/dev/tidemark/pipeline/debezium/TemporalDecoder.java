package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.schema.ColumnType;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Dates and times: the number of the type's unit, or the ISO text of {@code
 * time.precision.mode=isostring}, which puts a {@code Z} behind values that have no zone.
 */
final class TemporalDecoder {
  private TemporalDecoder() {}

  static Object decode(String field, Object json, ColumnType type)
      throws MalformedMessageException {
    try {
      if (json instanceof Long number) {
        return ofNumber(number, type);
      } else if (json instanceof String text) {
        return ofText(text, type);
      }
    } catch (DateTimeException | ArithmeticException e) {
      throw MalformedMessageException.expected(field, json, "a " + type);
    }
    throw MalformedMessageException.expected(field, json, "a " + type);
  }

  private static Object ofNumber(long number, ColumnType type) {
    return switch (type.kind()) {
      case DATE -> LocalDate.ofEpochDay(number);
      case TIME_MILLIS -> Duration.ofMillis(number);
      case TIME_MICROS -> split(number, 1_000_000);
      case TIME_NANOS -> Duration.ofNanos(number);
      case DATETIME_MILLIS -> dateTime(Duration.ofMillis(number));
      case DATETIME_MICROS -> dateTime(split(number, 1_000_000));
      case DATETIME_NANOS -> dateTime(Duration.ofNanos(number));
      default -> throw new DateTimeException("a number is no " + type);
    };
  }

  private static Duration split(long number, int perSecond) {
    long nanos = Math.floorMod(number, perSecond) * (1_000_000_000L / perSecond);
    return Duration.ofSeconds(Math.floorDiv(number, perSecond), nanos);
  }

  private static LocalDateTime dateTime(Duration sinceEpoch) {
    return LocalDateTime.ofEpochSecond(
        sinceEpoch.getSeconds(), sinceEpoch.getNano(), ZoneOffset.UTC);
  }

  private static Object ofText(String text, ColumnType type) {
    return switch (type.kind()) {
      case DATE -> LocalDate.parse(withoutZone(text));
      case TIME_MILLIS, TIME_MICROS, TIME_NANOS ->
          Duration.ofNanos(LocalTime.parse(withoutZone(text)).toNanoOfDay());
      case DATETIME_MILLIS, DATETIME_MICROS, DATETIME_NANOS ->
          LocalDateTime.parse(withoutZone(text));
      case INSTANT -> instant(text);
      default -> throw new DateTimeException("a text is no " + type);
    };
  }

  private static Instant instant(String text) {
    return OffsetDateTime.parse(text).toInstant();
  }

  private static String withoutZone(String text) {
    return text.endsWith("Z") ? text.substring(0, text.length() - 1) : text;
  }
}

package dev.tidemark.pinot.segment;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/** Values of {@code java.time} as milliseconds; those without a zone are read as UTC. */
final class JavaTimes {
  private JavaTimes() {}

  /** Epoch milliseconds, rounded down; null if the value is no time with a date. */
  static @Nullable Long millis(Object value) {
    if (value instanceof Instant instant) {
      return instant.toEpochMilli();
    }
    if (value instanceof LocalDateTime time) {
      return time.toInstant(ZoneOffset.UTC).toEpochMilli();
    }
    if (value instanceof LocalDate date) {
      return date.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
    }
    if (value instanceof OffsetDateTime time) {
      return time.toInstant().toEpochMilli();
    }
    if (value instanceof ZonedDateTime time) {
      return time.toInstant().toEpochMilli();
    }
    return value instanceof Date date ? date.getTime() : null;
  }
}

package dev.tidemark.pinot.segment;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** The same with every time inside maps, lists and arrays as its ISO 8601 text. */
  static Object asText(Object value) {
    if (value instanceof Temporal) {
      return value.toString();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> plain = new LinkedHashMap<>();
      map.forEach(
          (key, each) -> plain.put(String.valueOf(key), each == null ? null : asText(each)));
      return plain;
    }
    if (value instanceof Object[] several) {
      return asText(Arrays.asList(several));
    }
    if (value instanceof Collection<?> several) {
      List<@Nullable Object> plain = new ArrayList<>(several.size());
      several.forEach(each -> plain.add(each == null ? null : asText(each)));
      return plain;
    }
    return value;
  }
}

package dev.tidemark.finalization.eventtime;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;

/**
 * The unit in which a column holds event time. It is declared, never guessed: a number of 2001 in
 * milliseconds is a plausible number of 1970 in microseconds.
 */
public enum EventTimeUnit {
  /** Seconds since the epoch. */
  SECONDS,
  /** Milliseconds since the epoch. */
  MILLIS,
  /** Microseconds since the epoch; rounded down to milliseconds. */
  MICROS,
  /** Nanoseconds since the epoch; rounded down to milliseconds. */
  NANOS,
  /** TiDB's timestamp oracle: physical milliseconds in the bits above the lowest 18. */
  TSO,
  /** ISO-8601 text with an offset, such as {@code 2026-01-01T10:00:00Z}. */
  ISO_8601;

  private static final int TSO_LOGICAL_BITS = 18;

  /**
   * Converts a number to epoch milliseconds, rounding towards the past. A number of seconds that
   * does not fit into milliseconds becomes {@link Long#MIN_VALUE} or {@link Long#MAX_VALUE}, which
   * no bounds accept: it is counted as invalid.
   *
   * @throws IllegalStateException for {@link #ISO_8601}, which is text
   */
  public long toMillis(long value) {
    switch (this) {
      case SECONDS:
        return saturatedTimesThousand(value);
      case MILLIS:
        return value;
      case MICROS:
        return Math.floorDiv(value, 1_000L);
      case NANOS:
        return Math.floorDiv(value, 1_000_000L);
      case TSO:
        return value >>> TSO_LOGICAL_BITS;
      default:
        throw new IllegalStateException(
            "Cannot read the number " + value + " as ISO_8601 (expected: text; declare its unit)");
    }
  }

  /**
   * Converts a number to epoch microseconds, rounding towards the past.
   *
   * @throws ArithmeticException if they do not fit, or for {@link #ISO_8601}, which is text
   */
  public long toMicros(long value) {
    switch (this) {
      case SECONDS:
        return Math.multiplyExact(value, 1_000_000L);
      case MILLIS:
        return Math.multiplyExact(value, 1_000L);
      case MICROS:
        return value;
      case NANOS:
        return Math.floorDiv(value, 1_000L);
      case TSO:
        return Math.multiplyExact(value >>> TSO_LOGICAL_BITS, 1_000L);
      default:
        throw new ArithmeticException("a number has no unit of its own");
    }
  }

  /**
   * Reads text: a number for the numeric units, a date-time with an offset for {@link #ISO_8601}.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  public long parseMillis(String text) {
    try {
      return this == ISO_8601
          ? OffsetDateTime.parse(text).toInstant().toEpochMilli()
          : toMillis(Long.parseLong(text));
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "Cannot read event time \""
              + text
              + "\" as "
              + this
              + " (expected: "
              + (this == ISO_8601 ? "such as " + Instant.EPOCH : "a whole number")
              + ")",
          e);
    }
  }

  /**
   * The unit of this name, in any case: {@code micros}, {@code iso-8601}.
   *
   * @throws IllegalArgumentException that lists the names
   */
  public static EventTimeUnit named(String name) {
    String wanted = name.toUpperCase(Locale.ROOT).replace('-', '_');
    for (EventTimeUnit unit : values()) {
      if (unit.name().equals(wanted)) {
        return unit;
      }
    }
    throw new IllegalArgumentException(
        "Invalid event-time unit: "
            + name
            + " (expected: one of seconds, millis, micros, nanos, tso, iso-8601)");
  }

  private static long saturatedTimesThousand(long seconds) {
    long high = Math.multiplyHigh(seconds, 1_000L);
    long low = seconds * 1_000L;
    boolean fits = (high == 0 && low >= 0) || (high == -1 && low < 0);
    return fits ? low : seconds < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }
}

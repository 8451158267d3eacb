package dev.tidemark.cli.command;

import dev.tidemark.cli.answer.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;

/** Lengths and points of time as people write and read them. */
final class Spans {
  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final long DAY = Duration.ofDays(1).toMillis();

  private Spans() {}

  /**
   * Reads a duration as {@link DurationText} does.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Duration parse(String text) {
    Duration duration = DurationText.parse(text);
    if (duration == null) {
      throw new IllegalArgumentException(
          "Invalid duration: \"" + text + "\" (expected: such as 20m, 1h30m or PT20M)");
    }
    return duration;
  }

  /** Reads an instant with its offset. */
  static long instantMillis(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "Invalid time: \"" + text + "\" (expected: an instant such as 2026-01-01T10:00:00Z)", e);
    }
  }

  /** {@code 41 min}, {@code 12.5 h}, {@code 3.2 d}, {@code 25 s}; rounded. */
  static String text(double millis) {
    double size = Math.abs(millis);
    if (Double.isNaN(millis)) {
      return "-";
    }
    if (size < 2 * MINUTE) {
      return String.format(Locale.ROOT, "%.0f s", millis / 1_000);
    }
    if (size < 10 * HOUR) {
      return String.format(Locale.ROOT, "%.0f min", millis / MINUTE);
    }
    return size < 3 * DAY
        ? String.format(Locale.ROOT, "%.1f h", millis / HOUR)
        : String.format(Locale.ROOT, "%,.1f d", millis / DAY);
  }

  /** To the second. */
  static String time(long millis) {
    return Instant.ofEpochMilli(millis - Math.floorMod(millis, 1_000)).toString();
  }
}

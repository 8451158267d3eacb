package dev.tidemark.cli.answer;

import dev.tidemark.finalization.granule.Granularity;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;

/**
 * A span of event time that somebody asks for, as people write it: a day {@code 2026-01-01}, an
 * hour {@code 2026-01-01T10}, both whole and in a zone; or one instant {@code
 * 2026-01-01T10:15:00Z}, which means the table's granule that holds it.
 *
 * @param text as it was written
 * @param startMillis inclusive, epoch milliseconds UTC
 * @param endMillis exclusive; equal to the start for an instant
 */
public record Question(String text, long startMillis, long endMillis) {
  private static final DateTimeFormatter HOUR =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH").withResolverStyle(ResolverStyle.STRICT);

  /**
   * Reads what somebody wrote.
   *
   * @throws IllegalArgumentException if it is none of the three
   */
  public static Question parse(String text, ZoneId zone) {
    try {
      if (text.length() == "2026-01-01".length()) {
        LocalDate day = LocalDate.parse(text);
        return of(
            text,
            day.atStartOfDay(zone).toInstant(),
            day.plusDays(1).atStartOfDay(zone).toInstant());
      }
      if (text.length() == "2026-01-01T10".length()) {
        return hour(text, LocalDateTime.parse(text, HOUR), zone);
      }
      Instant instant = OffsetDateTime.parse(text).toInstant();
      return of(text, instant, instant);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "Invalid time: \""
              + text
              + "\" (expected: a day 2026-01-01, an hour 2026-01-01T10, or an instant"
              + " 2026-01-01T10:15:00Z)",
          e);
    }
  }

  /** A local hour lasts two where clocks are put back in it, and is not there where forward. */
  private static Question hour(String text, LocalDateTime hour, ZoneId zone) {
    Instant start = hour.atZone(zone).toInstant();
    Instant end = hour.plusHours(1).atZone(zone).toInstant();
    if (!end.isAfter(start)) {
      throw new IllegalArgumentException(
          "Invalid time: \""
              + text
              + "\" does not exist in "
              + zone
              + ", where clocks are put forward (expected: an hour before or after it)");
    }
    return of(text, start, end);
  }

  private static Question of(String text, Instant start, Instant end) {
    return new Question(text, start.toEpochMilli(), end.toEpochMilli());
  }

  /** The span that is asked for: a whole granule of the table, where it is an instant. */
  public Question within(Granularity granularity) {
    if (endMillis > startMillis) {
      return this;
    }
    long start = granularity.floor(startMillis);
    return new Question(text, start, granularity.next(start));
  }
}

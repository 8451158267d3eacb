package dev.tidemark.cli.answer;

import dev.tidemark.finalization.granule.Granularity;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Times and durations as people read them. */
public final class TimeText {
  private static final DateTimeFormatter HOUR = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH");

  private TimeText() {}

  /** ISO-8601 in UTC; {@code none} for none. */
  public static String instant(@Nullable Long millis) {
    return millis == null ? "none" : Instant.ofEpochMilli(millis).toString();
  }

  /**
   * A granule by its start, as {@link Question} reads it: a day {@code 2026-01-01} or an hour
   * {@code 2026-01-01T10} where it is one in that zone, else the instant of its start.
   */
  public static String granule(long startMillis, Granularity granularity, ZoneId zone) {
    return span(startMillis, granularity.next(startMillis), zone);
  }

  /** The same for any span of event time. */
  public static String span(long startMillis, long endMillis, ZoneId zone) {
    ZonedDateTime start = Instant.ofEpochMilli(startMillis).atZone(zone);
    ZonedDateTime end = Instant.ofEpochMilli(endMillis).atZone(zone);
    boolean dayStarts = start.toLocalTime().equals(LocalTime.MIDNIGHT);
    if (dayStarts && end.equals(start.toLocalDate().plusDays(1).atStartOfDay(zone))) {
      return start.toLocalDate().toString();
    }
    boolean hourStarts = start.getMinute() == 0 && start.getSecond() == 0 && start.getNano() == 0;
    return hourStarts && Duration.between(start, end).equals(Duration.ofHours(1))
        ? HOUR.format(start)
        : start.toInstant().toString();
  }

  /** How long before now; {@code ahead by} for a time to come. */
  public static String ago(long millis, long nowMillis) {
    String length = duration(Duration.ofMillis(nowMillis - millis));
    return nowMillis < millis ? "ahead by " + length : length;
  }

  /** The two greatest units: {@code 3 h 12 min}, {@code 45 s}. */
  public static String duration(Duration duration) {
    long seconds = Math.abs(duration.toSeconds());
    long[] units = {seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60};
    String[] names = {" d", " h", " min", " s"};
    for (int i = 0; i < units.length - 1; i++) {
      if (units[i] > 0) {
        String first = units[i] + names[i];
        return units[i + 1] > 0 ? first + " " + units[i + 1] + names[i + 1] : first;
      }
    }
    return seconds + " s";
  }
}

package dev.tidemark.finalization.granule;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How time is sliced into granules: a fixed duration that divides a UTC day, or the local days of a
 * time zone (of 23, 24 or 25 hours where clocks change). A granule is half-open: {@code [start,
 * next(start))}. Times are epoch milliseconds, UTC. Immutable and thread-safe.
 */
public final class Granularity {
  /** UTC hours: the default, and the meaning of Iceberg's {@code hour} transform. */
  public static final Granularity HOUR = of(Duration.ofHours(1));

  /** UTC days: the meaning of Iceberg's {@code day} transform. */
  public static final Granularity DAY = of(Duration.ofDays(1));

  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final long QUARTER_HOUR_MILLIS = Duration.ofMinutes(15).toMillis();
  private static final String ZONE_PREFIX = "P1D@";

  private final long millis;
  private final @Nullable ZoneId zone;

  private Granularity(long millis, @Nullable ZoneId zone) {
    this.millis = millis;
    this.zone = zone;
  }

  /**
   * Granules of a fixed length, aligned to the UTC day.
   *
   * @param duration at least one second, whole milliseconds, and a divisor of 24 hours
   * @throws IllegalArgumentException for any other duration
   */
  public static Granularity of(Duration duration) {
    boolean divides =
        duration.compareTo(Duration.ofSeconds(1)) >= 0
            && duration.compareTo(Duration.ofDays(1)) <= 0
            && Duration.ofDays(1).toMillis() % duration.toMillis() == 0
            && Duration.ofMillis(duration.toMillis()).equals(duration);
    if (!divides) {
      throw new IllegalArgumentException(
          "Invalid granularity: "
              + duration
              + " (expected: a duration of at least PT1S that divides a day, such as PT15M, PT1H or P1D)");
    }
    return new Granularity(duration.toMillis(), null);
  }

  /** The local days of a zone; with {@code UTC} the same as {@link #DAY}. */
  public static Granularity daysIn(ZoneId zone) {
    Objects.requireNonNull(zone, "zone is null");
    return zone.normalized().equals(ZoneOffset.UTC) ? DAY : new Granularity(DAY_MILLIS, zone);
  }

  /**
   * Reads what {@link #toString} writes: {@code PT1H}, {@code PT15M}, {@code P1D}, or {@code
   * P1D@Asia/Seoul} for the local days of a zone.
   */
  public static Granularity parse(String text) {
    try {
      return text.startsWith(ZONE_PREFIX)
          ? daysIn(ZoneId.of(text.substring(ZONE_PREFIX.length())))
          : of(Duration.parse(text));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "Invalid granularity: " + text + " (expected: such as PT1H, P1D or P1D@Asia/Seoul)", e);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "Invalid granularity: " + text + " (the time zone is not known)", e);
    }
  }

  /** The start of the granule that holds this time: at or before it. */
  public long floor(long timeMillis) {
    if (zone == null) {
      return timeMillis - Math.floorMod(timeMillis, millis);
    }
    return startOf(localDay(timeMillis, zone), zone);
  }

  /** The first granule boundary at or after this time. */
  public long ceil(long timeMillis) {
    long floor = floor(timeMillis);
    return floor == timeMillis ? floor : next(floor);
  }

  /** The end (exclusive) of the granule that holds this time: the next boundary after it. */
  public long next(long timeMillis) {
    if (zone == null) {
      return floor(timeMillis) + millis;
    }
    return startOf(localDay(timeMillis, zone).plusDays(1), zone);
  }

  /** The start of the granule before the one that holds this time. */
  public long previous(long timeMillis) {
    return floor(floor(timeMillis) - 1);
  }

  /**
   * A length in milliseconds that divides every granule and every boundary: counts per slice of
   * this length add up to counts per granule exactly. The boundaries of zones lie on quarter hours
   * (true of every zone since 1972).
   */
  public long sliceMillis() {
    return zone == null ? millis : QUARTER_HOUR_MILLIS;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Granularity that
        && millis == that.millis
        && Objects.equals(zone, that.zone);
  }

  @Override
  public int hashCode() {
    return Objects.hash(millis, zone);
  }

  /** ISO-8601, with the zone behind an {@code @}; read by {@link #parse}. */
  @Override
  public String toString() {
    if (zone != null) {
      return ZONE_PREFIX + zone.getId();
    }
    return millis == DAY_MILLIS ? "P1D" : Duration.ofMillis(millis).toString();
  }

  /**
   * The day that holds this time. Where clocks are put back across midnight (St. John's, until
   * 2011) the old date comes back after the new day has begun: the day that began last counts.
   */
  private static LocalDate localDay(long timeMillis, ZoneId zone) {
    LocalDate date = Instant.ofEpochMilli(timeMillis).atZone(zone).toLocalDate();
    return startOf(date.plusDays(1), zone) <= timeMillis ? date.plusDays(1) : date;
  }

  private static long startOf(LocalDate date, ZoneId zone) {
    return date.atStartOfDay(zone).toInstant().toEpochMilli();
  }
}

package dev.tidemark.cli.answer;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as people write them, {@code 30m}, {@code 1h30m}, {@code 7d}, or in ISO-8601. */
public final class DurationText {
  private static final Pattern SHORT =
      Pattern.compile(
          "(?:(\\d{1,6})d)?(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,9})s)?(?:(\\d{1,9})ms)?");

  private DurationText() {}

  /** Reads one; null if it is none, or less than nothing. */
  public static @Nullable Duration parse(String text) {
    String trimmed = text.strip();
    Matcher matcher = SHORT.matcher(trimmed.toLowerCase(Locale.ROOT));
    if (!trimmed.isEmpty() && matcher.matches()) {
      return Duration.ofDays(number(matcher, 1))
          .plusHours(number(matcher, 2))
          .plusMinutes(number(matcher, 3))
          .plusSeconds(number(matcher, 4))
          .plusMillis(number(matcher, 5));
    }
    try {
      Duration duration = Duration.parse(trimmed);
      return duration.isNegative() ? null : duration;
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static long number(Matcher matcher, int group) {
    String digits = matcher.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}

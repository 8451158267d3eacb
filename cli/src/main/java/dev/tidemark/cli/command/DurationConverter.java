package dev.tidemark.cli.command;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them, {@code 30m}, {@code 1h30m}, {@code 7d}, or in ISO-8601. */
final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern SHORT =
      Pattern.compile("(?:(\\d{1,6})d)?(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,9})s)?");

  @Override
  public Duration convert(String text) {
    Matcher matcher = SHORT.matcher(text.toLowerCase(Locale.ROOT));
    if (!text.isEmpty() && matcher.matches()) {
      return Duration.ofDays(number(matcher, 1))
          .plusHours(number(matcher, 2))
          .plusMinutes(number(matcher, 3))
          .plusSeconds(number(matcher, 4));
    }
    try {
      Duration duration = Duration.parse(text);
      if (!duration.isNegative()) {
        return duration;
      }
    } catch (DateTimeParseException e) {
      // said below, with what is expected
    }
    throw new TypeConversionException(
        "\"" + text + "\" is no duration (expected: such as 30m, 2h, 7d or PT30M)");
  }

  private static long number(Matcher matcher, int group) {
    String digits = matcher.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}

package dev.tidemark.cli.command;

import dev.tidemark.cli.answer.DurationText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as {@link DurationText} reads them. */
final class DurationConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    Duration duration = DurationText.parse(text);
    if (duration == null) {
      throw new TypeConversionException(
          "\"" + text + "\" is no duration (expected: such as 30m, 2h, 7d or PT30M)");
    }
    return duration;
  }
}

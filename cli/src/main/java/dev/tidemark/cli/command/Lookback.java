package dev.tidemark.cli.command;

import java.time.DateTimeException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A window as people write it: {@code 6,PT30M}, or {@code 6} for commits alone.
 *
 * @param commits at least so many
 * @param span at least so much commit time
 */
record Lookback(int commits, Duration span) {
  static Lookback parse(String text) {
    String[] parts = text.split(",", -1);
    try {
      if (parts.length <= 2) {
        return new Lookback(
            Integer.parseInt(parts[0].trim()),
            parts.length == 1 ? Duration.ZERO : Spans.parse(parts[1]));
      }
    } catch (NumberFormatException | DateTimeException e) {
      throw invalid(text, e);
    }
    throw invalid(text, null);
  }

  private static IllegalArgumentException invalid(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "Invalid lookback: \"" + text + "\" (expected: commits and a duration, 6,PT30M)", cause);
  }
}

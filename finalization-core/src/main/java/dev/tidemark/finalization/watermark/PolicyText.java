package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.granule.Granularity;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * What a reader must know of the configuration that made an opinion.
 *
 * @param policy how facts became a candidate
 * @param lookbackCommits commits in the window, at least
 * @param lookbackSpan commit time of the window, at least
 * @param granularity the slices that become final
 */
public record PolicyText(
    FinalizationPolicy policy,
    int lookbackCommits,
    Duration lookbackSpan,
    Granularity granularity) {

  /**
   * Reads {@link #toString}.
   *
   * @throws IllegalArgumentException if it is not such a text
   */
  public static PolicyText parse(String text) {
    String[] parts = text.split(";", -1);
    try {
      if (parts.length == 4) {
        return new PolicyText(
            FinalizationPolicy.parse(parts[0]),
            Integer.parseInt(parts[1]),
            Duration.parse(parts[2]),
            Granularity.parse(parts[3]));
      }
    } catch (DateTimeParseException | NumberFormatException e) {
      throw invalid(text, e);
    }
    throw invalid(text, null);
  }

  /** {@code min;6;PT30M;PT1H}. */
  @Override
  public String toString() {
    return policy + ";" + lookbackCommits + ";" + lookbackSpan + ";" + granularity;
  }

  private static IllegalArgumentException invalid(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "Invalid policy text: " + text + " (expected: such as min;6;PT30M;PT1H)", cause);
  }
}

package dev.tidemark.finalization.eventtime;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * The range of credible event times: {@code [earliest, now + maxSkew]}, both ends inclusive. What
 * is outside is counted as invalid and never moves a watermark, so that one row of 1970 or of
 * tomorrow cannot pin it or make honest rows late.
 *
 * @param earliest the earliest credible event time; 2000-01-01 by default
 * @param maxSkew how far ahead of the writer's clock an event may be; 5 minutes by default
 */
public record EventTimeBounds(Instant earliest, Duration maxSkew) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** From the year 2000 to five minutes ahead of the clock. */
  public static final EventTimeBounds DEFAULT =
      new EventTimeBounds(Instant.parse("2000-01-01T00:00:00Z"), Duration.ofMinutes(5));

  public EventTimeBounds {
    Objects.requireNonNull(earliest, "earliest is null");
    Objects.requireNonNull(maxSkew, "maxSkew is null");
    if (maxSkew.isNegative()) {
      throw new IllegalArgumentException(
          "Invalid maxSkew: " + maxSkew + " (expected: zero or positive)");
    }
  }
}

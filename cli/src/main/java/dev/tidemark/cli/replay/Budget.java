package dev.tidemark.cli.replay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a policy may cost.
 *
 * @param maxLateShare share of rows that may come after their granule was final; above 0 and below
 *     1
 * @param maxLag how far the watermark may be behind after 95 of 100 commits; null for any
 * @param behind what that lag is measured against
 */
public record Budget(double maxLateShare, @Nullable Duration maxLag, Behind behind) {
  /** What a lag is measured against. */
  public enum Behind {
    /** The commit time: how stale the table is for who reads it. */
    COMMIT,
    /** The highest event time so far: for a history that was loaded later than it happened. */
    EVENTS
  }

  public Budget {
    if (!(maxLateShare > 0 && maxLateShare < 1)) {
      throw new IllegalArgumentException(
          "Invalid share of late rows: "
              + maxLateShare
              + " (expected: above 0 and below 1, such as 0.01%). No history can show that nothing"
              + " will be late; only the policy source-promise is proof.");
    }
    if (maxLag != null && (maxLag.isNegative() || maxLag.isZero())) {
      throw new IllegalArgumentException(
          "Invalid lag: " + maxLag + " (expected: more than zero, such as 20m)");
    }
  }

  /** The lag that counts. */
  public Figures.Lag lag(Figures figures) {
    return behind == Behind.COMMIT ? figures.behindCommit() : figures.behindEvents();
  }

  /** Whether the lag is within the budget. */
  boolean allowsLag(Figures figures) {
    return maxLag == null || lag(figures).p95Millis() <= maxLag.toMillis();
  }

  /** Rows of which none may be late before it is likely that so few are: 3 / share. */
  long rowsNeeded() {
    return (long) Math.ceil(LateBound.RULE_OF_THREE / maxLateShare);
  }
}

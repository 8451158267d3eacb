package dev.tidemark.cli.alert;

import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which alerts, and where to.
 *
 * @param stallAfter how long a watermark may stand; null for two granules of each table
 * @param webhook null for the log alone
 * @param firstPause how long to wait after the first failed delivery; doubled at each further one
 * @param capacity how many alerts wait for a webhook that does not answer
 */
public record AlertOptions(
    @Nullable Duration stallAfter, @Nullable URI webhook, Duration firstPause, int capacity) {
  private static final Set<String> SCHEMES = Set.of("http", "https");

  /** To the log; a thousand may wait for a webhook. */
  public static final AlertOptions DEFAULT =
      new AlertOptions(null, null, Duration.ofSeconds(1), 1_000);

  public AlertOptions {
    if (stallAfter != null && (stallAfter.isZero() || stallAfter.isNegative())) {
      throw new IllegalArgumentException(
          "Invalid time to a stall: " + stallAfter + " (expected: longer than nothing, as PT2H)");
    }
    if (webhook != null
        && (webhook.getHost() == null
            || !SCHEMES.contains(Objects.requireNonNullElse(webhook.getScheme(), "")))) {
      throw new IllegalArgumentException(
          "Invalid webhook: " + webhook + " (expected: an http or https URL)");
    }
    if (capacity < 1) {
      throw new IllegalArgumentException(
          "Invalid number of waiting alerts: " + capacity + " (expected: at least 1)");
    }
  }
}

package dev.tidemark.cli.await;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait between polls: twice as long each time, up to a cap, less a random part of up to
 * a half, so that many who wait for the same table do not ask at once.
 *
 * @param first before the second poll
 * @param most the cap
 * @param random the jitter
 */
public record Pace(Duration first, Duration most, RandomGenerator random) {
  private static final int MOST_DOUBLINGS = 30;

  public Pace {
    if (first.isNegative() || first.isZero() || most.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "Invalid pace: " + first + " up to " + most + " (expected: more than zero, ascending)");
    }
  }

  /**
   * The pause after a poll.
   *
   * @param poll its number, from 0 on
   */
  Duration after(int poll) {
    long doubled = first.toMillis() << Math.min(poll, MOST_DOUBLINGS);
    long whole = doubled <= 0 ? most.toMillis() : Math.min(doubled, most.toMillis());
    return Duration.ofMillis(whole - random.nextLong(whole / 2 + 1));
  }
}

package dev.tidemark.pinot.controller;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * The time that everything here goes by: a clock, and a way to wait.
 *
 * @param clock tells the time
 * @param sleeper waits
 */
public record Patience(Clock clock, Sleeper sleeper) {
  private static final Duration FIRST_LOOK = Duration.ofMillis(50);
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(2);

  public Patience {
    Objects.requireNonNull(clock, "clock is null");
    Objects.requireNonNull(sleeper, "sleeper is null");
  }

  /** Real time. */
  public static Patience real() {
    return new Patience(Clock.systemUTC(), Sleeper.real());
  }

  /** Now, epoch milliseconds. */
  public long nowMillis() {
    return clock.millis();
  }

  /**
   * Looks again and again, at growing distances of at most two seconds, until something is so.
   *
   * @return false if it was not so within this time
   */
  public boolean until(Duration longest, BooleanSupplier isSo) {
    Instant end = clock.instant().plus(longest);
    Duration wait = FIRST_LOOK;
    while (!isSo.getAsBoolean()) {
      if (!clock.instant().isBefore(end)) {
        return false;
      }
      pause(wait);
      wait = wait.multipliedBy(2).compareTo(LONGEST_LOOK) < 0 ? wait.multipliedBy(2) : LONGEST_LOOK;
    }
    return true;
  }

  /**
   * Waits.
   *
   * @throws PinotUnavailableException if the thread is interrupted, which stays interrupted
   */
  public void pause(Duration wait) {
    try {
      sleeper.sleep(wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PinotUnavailableException("Interrupted while waiting for Pinot", e);
    }
  }
}

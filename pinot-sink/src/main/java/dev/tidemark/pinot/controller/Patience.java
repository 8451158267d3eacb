package dev.tidemark.pinot.controller;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time that everything here goes by: a clock, a way to wait, and a bound that whatever waits
 * keeps, however many waits there are. Used by one thread where it is bounded.
 */
public final class Patience {
  private static final Duration FIRST_LOOK = Duration.ofMillis(50);
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(2);

  private final Clock clock;
  private final Sleeper sleeper;
  private volatile @Nullable Bound bound;

  private record Bound(Instant end, Duration length) {}

  /**
   * Without a bound.
   *
   * @param clock tells the time
   * @param sleeper waits
   */
  public Patience(Clock clock, Sleeper sleeper) {
    this.clock = Objects.requireNonNull(clock, "clock is null");
    this.sleeper = Objects.requireNonNull(sleeper, "sleeper is null");
  }

  /** Real time, without a bound. */
  public static Patience real() {
    return new Patience(Clock.systemUTC(), Sleeper.real());
  }

  /** What tells the time. */
  public Clock clock() {
    return clock;
  }

  /** Now, epoch milliseconds. */
  public long nowMillis() {
    return clock.millis();
  }

  /** From now on nothing waits, and no request goes on, for longer than this in all. */
  public void bound(Duration most) {
    bound = new Bound(clock.instant().plus(most), most);
  }

  /** Takes the bound away. */
  public void unbound() {
    bound = null;
  }

  /** This length of time, or what is left of the bound if that is less; never negative. */
  public Duration atMost(Duration wanted) {
    Bound current = bound;
    if (current == null) {
      return wanted;
    }
    Duration left = Duration.between(clock.instant(), current.end());
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(wanted) < 0 ? left : wanted;
  }

  /** Whether there is a bound, and it has come. */
  public boolean isOver() {
    Bound current = bound;
    return current != null && !clock.instant().isBefore(current.end());
  }

  /** The bound where it is the reason why this length of time was not to be had; else that. */
  String told(Duration wanted) {
    Bound current = bound;
    return current == null || clock.instant().plus(wanted).isBefore(current.end())
        ? wanted.toString()
        : current.length() + " for all of the commit";
  }

  /**
   * Looks again and again, at growing distances of at most two seconds, until something is so.
   *
   * @return false if it was not so within this time, or within the bound
   */
  public boolean until(Duration longest, BooleanSupplier isSo) {
    Instant end = clock.instant().plus(atMost(longest));
    Duration wait = FIRST_LOOK;
    while (!isSo.getAsBoolean()) {
      Duration left = Duration.between(clock.instant(), end);
      if (left.isNegative() || left.isZero()) {
        return false;
      }
      pause(left.compareTo(wait) < 0 ? left : wait);
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

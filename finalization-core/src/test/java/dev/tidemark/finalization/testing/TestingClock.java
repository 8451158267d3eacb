package dev.tidemark.finalization.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands still until it is moved. Not thread-safe. */
public final class TestingClock extends Clock {
  private Instant now;

  /** A clock that shows this time. */
  public TestingClock(Instant now) {
    this.now = now;
  }

  /** Shows this time from now on. */
  public void set(Instant instant) {
    this.now = instant;
  }

  /** Moves on, or back for a negative duration. */
  public void advance(Duration by) {
    this.now = now.plus(by);
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}

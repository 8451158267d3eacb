package dev.tidemark.pipeline.ledger;

/** What a number in an event-time column counts. Always declared, never guessed. */
public enum EventTimeUnit {
  SECONDS(1),
  MILLIS(1_000),
  MICROS(1_000_000),
  NANOS(1_000_000_000),
  /** No number: a date, a datetime read as UTC, a timestamp, or the ISO text of one. */
  TEMPORAL(0);

  private final long perSecond;

  EventTimeUnit(long perSecond) {
    this.perSecond = perSecond;
  }

  /**
   * The microseconds of a number of this unit, nanoseconds rounded down.
   *
   * @throws ArithmeticException when they do not fit, or for {@link #TEMPORAL}
   */
  long toMicros(long number) {
    if (this == TEMPORAL) {
      throw new ArithmeticException("a number has no unit of its own");
    }
    return this == NANOS
        ? Math.floorDiv(number, 1_000)
        : Math.multiplyExact(number, 1_000_000 / perSecond);
  }
}

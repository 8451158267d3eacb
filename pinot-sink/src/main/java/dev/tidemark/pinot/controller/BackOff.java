package dev.tidemark.pinot.controller;

import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long one request is tried again, and how far apart: waits double from the first to the
 * longest, each with jitter between half of it and all of it; a {@code Retry-After} of the server
 * replaces a shorter wait. Immutable.
 *
 * @param first the first wait, positive
 * @param longest the longest wait, at least the first
 * @param budget after how long of trying a request fails, positive; keep it well below the
 *     checkpoint timeout, since Flink commits on the task's own thread
 */
public record BackOff(Duration first, Duration longest, Duration budget) implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int MAX_DOUBLINGS = 20;

  /** 200 ms, doubled up to 10 s, for two minutes. */
  public static final BackOff DEFAULT =
      new BackOff(Duration.ofMillis(200), Duration.ofSeconds(10), Duration.ofMinutes(2));

  public BackOff {
    Objects.requireNonNull(budget, "budget is null");
    if (budget.isZero() || budget.isNegative()) {
      throw new IllegalArgumentException(
          "Invalid back-off: budget "
              + budget
              + " (expected: more than zero, or no request would ever be sent)");
    }
    if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "Invalid back-off: first "
              + first
              + ", longest "
              + longest
              + " (expected: a positive first wait, and a longest that is not shorter)");
    }
  }

  /** The wait after this many failures, 0 for the first. */
  Duration after(int failures) {
    long most =
        Math.min(
            longest.toMillis(), Math.max(1, first.toMillis()) << Math.min(failures, MAX_DOUBLINGS));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
  }
}

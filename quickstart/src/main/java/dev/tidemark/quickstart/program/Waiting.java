package dev.tidemark.quickstart.program;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for what other parts of a program bring about. */
public final class Waiting {
  private static final long POLL_MILLIS = 100;

  private Waiting() {}

  /**
   * Looks again and again until something is so.
   *
   * @param state says what is there instead, when it does not come about
   * @throws IllegalStateException if it is not so within {@code patience}
   */
  public static void until(
      String what, Duration patience, Callable<Boolean> condition, Supplier<String> state)
      throws Exception {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "Waited %d s in vain: %s (expected: %s)"
                .formatted(patience.toSeconds(), state.get(), what));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }
}

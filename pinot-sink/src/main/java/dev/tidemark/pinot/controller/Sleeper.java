package dev.tidemark.pinot.controller;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits. Tests bring one that moves their clock instead. */
@FunctionalInterface
public interface Sleeper {
  /** Waits on the calling thread. */
  void sleep(Duration wait) throws InterruptedException;

  /** Waits for real. */
  static Sleeper real() {
    return wait -> TimeUnit.MILLISECONDS.sleep(wait.toMillis());
  }
}

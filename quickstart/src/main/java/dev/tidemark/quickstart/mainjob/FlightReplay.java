package dev.tidemark.quickstart.mainjob;

import dev.tidemark.quickstart.flights.FlightChange;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;

/**
 * Has the changes of the flights happen in the database, while a job writes the ledger.
 *
 * @param database where they happen
 * @param watch tells how far the ledger is
 * @param job the job
 */
record FlightReplay(FlightDatabase database, LedgerWatch watch, JobClient job) {
  private static final long MAX_AHEAD = 2_500;
  private static final Duration TICK = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 100;

  /**
   * Applies the changes tick by tick, at a pace that spreads them evenly over the time given, and
   * never far ahead of the ledger: on a slow machine too there are commits to see.
   */
  void apply(List<FlightChange> changes, Duration pace) throws Exception {
    LocalDateTime first = changes.get(0).at();
    long ticks = Duration.between(first, changes.get(changes.size() - 1).at()).dividedBy(TICK) + 1;
    long start = System.nanoTime();
    int next = 0;
    for (long tick = 1; tick <= ticks; tick++) {
      List<FlightChange> due = new ArrayList<>();
      LocalDateTime end = first.plus(TICK.multipliedBy(tick));
      while (next < changes.size() && changes.get(next).at().isBefore(end)) {
        due.add(changes.get(next++));
      }
      database.apply(due);
      long target = start + (long) (pace.toNanos() * ((double) next / changes.size()));
      do {
        watch.poll();
      } while (pauseUntil(target));
      awaitRows(next - MAX_AHEAD);
    }
  }

  /** Waits until the ledger holds so many changes. */
  void awaitRows(long rows) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (watch.rows() < rows) {
      if (System.nanoTime() > deadline || job.getJobStatus().get().isGloballyTerminalState()) {
        throw new IllegalStateException(
            "The ledger holds "
                + watch.rows()
                + " changes (expected: at least "
                + rows
                + " within "
                + PATIENCE
                + "); the job is "
                + job.getJobStatus().get());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      watch.poll();
    }
  }

  private static boolean pauseUntil(long targetNanos) throws InterruptedException {
    long rest = TimeUnit.NANOSECONDS.toMillis(targetNanos - System.nanoTime());
    if (rest > 0) {
      TimeUnit.MILLISECONDS.sleep(Math.min(rest, POLL_MILLIS));
    }
    return System.nanoTime() < targetNanos;
  }
}

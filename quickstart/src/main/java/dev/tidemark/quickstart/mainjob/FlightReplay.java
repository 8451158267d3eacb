package dev.tidemark.quickstart.mainjob;

import dev.tidemark.quickstart.flights.FlightChange;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;

/**
 * Has the changes of the flights happen in the database, while a job writes the ledger. One thread.
 */
final class FlightReplay {
  private static final long MAX_AHEAD = 2_500;
  private static final Duration TICK = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 100;
  private static final int RENUMBERED = 5;
  private static final int RENUMBERED_BY = 1_000_000;

  private final FlightDatabase database;
  private final LedgerWatch watch;
  private final JobClient job;
  private final Check others;
  private long applied;

  /** Whether whatever else goes on beside the changes is still well. */
  interface Check {
    /** Throws if it is not, which ends the replay. */
    void run() throws Exception;
  }

  /**
   * @param database where they happen
   * @param watch tells how far the ledger is
   * @param job the job that writes it
   * @param others asked again and again
   */
  FlightReplay(FlightDatabase database, LedgerWatch watch, JobClient job, Check others) {
    this.database = database;
    this.watch = watch;
    this.job = job;
    this.others = others;
  }

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
      applied += due.size();
      long target = start + (long) (pace.toNanos() * ((double) next / changes.size()));
      do {
        watch.poll();
        others.run();
      } while (pauseUntil(target));
      awaitRows(applied - MAX_AHEAD);
    }
  }

  /**
   * Gives the first few rows that nothing happens to any more another primary key. Each is two
   * changes: a deletion of the old key and an insertion of the new one.
   *
   * @param toCome the changes that are not applied yet
   * @return the new keys by the old ones
   */
  SortedMap<Integer, Integer> renumber(List<FlightChange> toCome) throws SQLException {
    Set<Integer> changing = new HashSet<>();
    toCome.forEach(change -> changing.add(change.flight().id()));
    SortedMap<Integer, Integer> newIds = new TreeMap<>();
    database.flights().keySet().stream()
        .filter(id -> !changing.contains(id))
        .limit(RENUMBERED)
        .forEach(id -> newIds.put(id, id + RENUMBERED_BY));
    database.renumber(newIds);
    applied += 2L * newIds.size();
    return newIds;
  }

  /** Waits until the ledger holds all changes so far. */
  void awaitAll() throws Exception {
    awaitRows(applied);
  }

  /** How many changes there were so far. */
  long applied() {
    return applied;
  }

  private void awaitRows(long rows) throws Exception {
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
      others.run();
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

package dev.tidemark.quickstart.mainjob;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Merges again and again while the stream goes on, in a thread of its own. */
final class MergeSchedule implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final BaseMerges merges;
  private final Duration interval;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Future<BaseMerge> first;
  private final Future<?> others;

  /** When the last merge began; of the thread of the merges alone. */
  private long begunNanos;

  private MergeSchedule(BaseMerges merges, Duration interval) {
    this.merges = merges;
    this.interval = interval;
    this.first = thread.submit(this::mergeFirst);
    this.others = thread.submit(this::mergeUntilEnded);
  }

  /**
   * Begins as soon as the ledger has a row.
   *
   * @param merges belong to the schedule until it has ended
   * @param interval from one merge's begin to the next one's, if it has ended by then
   */
  static MergeSchedule start(BaseMerges merges, Duration interval) {
    return new MergeSchedule(merges, interval);
  }

  /**
   * Waits for the end of the first merge.
   *
   * @throws Exception what it failed with
   */
  void awaitFirst() throws Exception {
    result(first);
  }

  /**
   * To be called now and then while the stream goes on: after a merge that failed none is begun.
   *
   * @throws Exception what a merge failed with
   */
  void check() throws Exception {
    for (Future<?> merge : List.of(first, others)) {
      if (merge.isDone()) {
        result(merge);
      }
    }
  }

  /**
   * Begins no merge any more, and waits for the end of the one that runs.
   *
   * @throws Exception what a merge failed with
   */
  void end() throws Exception {
    ended.countDown();
    result(first);
    result(others);
  }

  private static void result(Future<?> merge) throws Exception {
    try {
      merge.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private BaseMerge mergeFirst() throws Exception {
    merges.awaitLedger();
    begunNanos = System.nanoTime();
    return merges.next();
  }

  private Void mergeUntilEnded() throws Exception {
    result(first);
    while (!ended.await(begunNanos + interval.toNanos() - System.nanoTime(), NANOSECONDS)) {
      begunNanos = System.nanoTime();
      merges.next();
    }
    return null;
  }

  /**
   * Kills what runs.
   *
   * @throws IllegalStateException if it does not end all the same
   */
  @Override
  public void close() throws InterruptedException {
    thread.shutdownNow();
    if (!thread.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(
          "Cannot end the merges: one still runs %s after it was interrupted".formatted(PATIENCE));
    }
  }
}

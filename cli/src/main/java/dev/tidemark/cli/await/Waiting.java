package dev.tidemark.cli.await;

import dev.tidemark.cli.store.StoreUnreachableException;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until an answer is settled: ready, revoked or reopened; or unknown where waiting cannot
 * help. A store that does not answer is asked again until the time is up; one that hangs is left
 * behind then, in a thread that does not keep the process. Used by one thread.
 */
public final class Waiting {
  private final Pace pace;
  private final Clock clock;
  private final Sleeper sleeper;
  private final Duration grace;

  /** Lets time pass. */
  @FunctionalInterface
  public interface Sleeper {
    /** Returns after this time. */
    void sleep(Duration duration) throws InterruptedException;
  }

  /** How the waiting ended. */
  public sealed interface Result {
    /** With an answer that waiting longer would not improve. */
    record Settled(FinalityAnswer answer) implements Result {}

    /** Without one, in time. */
    record TimedOut(FinalityAnswer last) implements Result {}

    /** With a store that did not answer the last poll. */
    record Unreachable(StoreUnreachableException failure) implements Result {}

    /** With a poll that did not come back: whatever it holds must not be waited for. */
    record Hanging(Duration polled) implements Result {}
  }

  /**
   * With this pace.
   *
   * @param grace how long a poll that is under way when the time is up may still take
   */
  public Waiting(Pace pace, Clock clock, Sleeper sleeper, Duration grace) {
    this.pace = Objects.requireNonNull(pace, "pace is null");
    this.clock = Objects.requireNonNull(clock, "clock is null");
    this.sleeper = Objects.requireNonNull(sleeper, "sleeper is null");
    this.grace = Objects.requireNonNull(grace, "grace is null");
  }

  /**
   * Polls until the answer is settled or the time is up; at least once, and for the last time when
   * it is up.
   *
   * @param poll one metadata read; always called by the same thread, which is not this one
   * @param startMillis the start of what is asked for: an opinion that begins later never speaks of
   *     it
   */
  public Result until(Supplier<FinalityAnswer> poll, long startMillis, Duration timeout)
      throws InterruptedException {
    ExecutorService asking = Executors.newSingleThreadExecutor(Waiting::daemon);
    try {
      return until(poll, startMillis, clock.instant().plus(timeout), asking);
    } finally {
      asking.shutdownNow();
    }
  }

  private Result until(
      Supplier<FinalityAnswer> poll, long startMillis, Instant end, ExecutorService asking)
      throws InterruptedException {
    for (int polls = 0; ; polls++) {
      Duration most = Duration.between(clock.instant(), end).plus(grace);
      Result result = ask(asking.submit(poll::get), most.isNegative() ? Duration.ZERO : most);
      if (result instanceof Result.TimedOut open && isSettled(open.last(), startMillis)) {
        return new Result.Settled(open.last());
      }
      Duration left = Duration.between(clock.instant(), end);
      if (left.isNegative() || left.isZero() || result instanceof Result.Hanging) {
        return result;
      }
      Duration pause = pace.after(polls);
      sleeper.sleep(pause.compareTo(left) < 0 ? pause : left);
    }
  }

  private static Result ask(Future<FinalityAnswer> poll, Duration most)
      throws InterruptedException {
    try {
      return new Result.TimedOut(poll.get(most.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return new Result.Hanging(most);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof StoreUnreachableException unreachable) {
        return new Result.Unreachable(unreachable);
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
  }

  private static Thread daemon(Runnable polls) {
    Thread thread = new Thread(polls, "wait-poll");
    thread.setDaemon(true);
    return thread;
  }

  private static boolean isSettled(FinalityAnswer answer, long startMillis) {
    if (answer instanceof FinalityAnswer.NotReady) {
      return false;
    }
    return !(answer instanceof FinalityAnswer.Unknown) || isHopeless(answer, startMillis);
  }

  /** No opinion at all, or one that begins later, with no bootstrap on its way that lowers it. */
  private static boolean isHopeless(FinalityAnswer answer, long startMillis) {
    var opinion = answer.finality().opinion();
    if (opinion == null) {
      return true;
    }
    @Nullable Long from = opinion.watermark().fromMillis();
    return from != null && startMillis < from && !opinion.bootstrapPending();
  }
}

package dev.tidemark.cli.await;

import dev.tidemark.cli.store.StoreUnreachableException;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until an answer is settled: ready, revoked or reopened; or unknown where waiting cannot
 * help. A store that does not answer is asked again until the time is up. Used by one thread.
 */
public final class Waiting {
  private final Pace pace;
  private final Clock clock;
  private final Sleeper sleeper;

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
  }

  /** With this pace. */
  public Waiting(Pace pace, Clock clock, Sleeper sleeper) {
    this.pace = Objects.requireNonNull(pace, "pace is null");
    this.clock = Objects.requireNonNull(clock, "clock is null");
    this.sleeper = Objects.requireNonNull(sleeper, "sleeper is null");
  }

  /**
   * Polls until the answer is settled or the time is up; at least once, and for the last time when
   * it is up.
   *
   * @param poll one metadata read
   * @param startMillis the start of what is asked for: an opinion that begins later never speaks of
   *     it
   */
  public Result until(Supplier<FinalityAnswer> poll, long startMillis, Duration timeout)
      throws InterruptedException {
    Instant end = clock.instant().plus(timeout);
    for (int polls = 0; ; polls++) {
      Result result = ask(poll);
      if (result instanceof Result.TimedOut open && isSettled(open.last(), startMillis)) {
        return new Result.Settled(open.last());
      }
      Duration left = Duration.between(clock.instant(), end);
      if (left.isNegative() || left.isZero()) {
        return result;
      }
      Duration pause = pace.after(polls);
      sleeper.sleep(pause.compareTo(left) < 0 ? pause : left);
    }
  }

  private static Result ask(Supplier<FinalityAnswer> poll) {
    try {
      return new Result.TimedOut(poll.get());
    } catch (StoreUnreachableException e) {
      return new Result.Unreachable(e);
    }
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

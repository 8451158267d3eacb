package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import java.io.Serializable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One submission of a job, made on the client: the run that it starts if it is restored from
 * nothing, and its time. A restored run is told from all its earlier lives by the <em>restore
 * epoch</em>: one more than in the state, or the tenths of a second from the run's beginning to the
 * submission if that is more (whole seconds after the first year, so that nine digits are enough
 * for two decades). So two rewinds to one savepoint differ too, and every operator comes to the
 * same number without asking another.
 *
 * @param run of a job that is restored from nothing
 * @param submittedAtMillis epoch milliseconds
 */
public record Submission(Run run, long submittedAtMillis) implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final long EPOCH_MILLIS = 100;
  private static final long COARSE_EPOCH_MILLIS = 1_000;
  private static final long FINE_MILLIS = Duration.ofDays(365).toMillis();

  /** A run may claim to have begun at any time; epochs are not counted from before this one. */
  private static final long EARLIEST_MILLIS = Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();

  /** Nine digits, which is what the ledger of finished runs reads. */
  private static final long LARGEST_EPOCH = 999_999_999;

  /**
   * A submission now.
   *
   * @param runId made up if it is null
   * @param startMillis of the run; now if it is null
   */
  public static Submission now(Clock clock, @Nullable String runId, @Nullable Long startMillis) {
    long now = clock.millis();
    String id = runId == null ? UUID.randomUUID().toString().substring(0, 13) : runId;
    return new Submission(new Run(id, startMillis == null ? now : startMillis, 0), now);
  }

  /**
   * The run in an operator that starts now. If the state still has a restore point, no commit of
   * that life was made before it, so the earlier of the two points holds: what was published after
   * it is still to be replaced.
   *
   * @param kept the run as state has it; null if nothing was restored
   */
  Run resumed(@Nullable Run kept, OptionalLong restoredCheckpoint) {
    if (kept == null) {
      return run;
    }
    long epoch =
        Math.min(
            LARGEST_EPOCH, Math.max(kept.restoreEpoch() + 1L, epochByTime(kept.startMillis())));
    return new Run(
        kept.id(),
        kept.startMillis(),
        (int) epoch,
        earlier(
            kept.restoredCheckpoint(),
            restoredCheckpoint.isPresent() ? restoredCheckpoint.getAsLong() : null));
  }

  /** The run as state keeps it once a commit of its present life was made. */
  static Run afterCommit(Run run) {
    return new Run(run.id(), run.startMillis(), run.restoreEpoch());
  }

  private long epochByTime(long startMillis) {
    long elapsed = Math.max(0, submittedAtMillis - Math.max(startMillis, EARLIEST_MILLIS));
    long fine = Math.min(elapsed, FINE_MILLIS);
    return fine / EPOCH_MILLIS + (elapsed - fine) / COARSE_EPOCH_MILLIS;
  }

  private static @Nullable Long earlier(@Nullable Long kept, @Nullable Long restored) {
    if (kept == null || restored == null) {
      return restored == null ? kept : restored;
    }
    return Math.min(kept, restored);
  }

  /**
   * The same where a name must not come again even if an earlier attempt published and kept no
   * state: on a table with upsert, a segment that comes again with other rows loses keys. Elsewhere
   * equal names are what an earlier attempt's commit is found by.
   */
  Run resumedUnlikeEarlierAttempts(
      @Nullable Run kept, OptionalLong restoredCheckpoint, int attempt) {
    Run resumed = resumed(kept, restoredCheckpoint);
    return kept == null ? new Run(run.id(), run.startMillis(), attempt) : resumed;
  }
}

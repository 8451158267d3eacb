package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import java.io.Serializable;
import java.time.Clock;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One submission of a job, made on the client: the run that it starts if it is restored from
 * nothing, and its time. A restored run is told from all its earlier lives by the <em>restore
 * epoch</em>: one more than in the state, or the tenths of a second from the run's beginning to the
 * submission if that is more. So two rewinds to one savepoint differ too, and every operator comes
 * to the same number without asking another.
 *
 * @param run of a job that is restored from nothing
 * @param submittedAtMillis epoch milliseconds
 */
public record Submission(Run run, long submittedAtMillis) implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final long EPOCH_MILLIS = 100;

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
   * The run in an operator that starts now.
   *
   * @param kept the run as state has it; null if nothing was restored
   */
  Run resumed(@Nullable Run kept, OptionalLong restoredCheckpoint) {
    if (kept == null) {
      return run;
    }
    long elapsed = Math.max(0, submittedAtMillis - kept.startMillis()) / EPOCH_MILLIS;
    int epoch = (int) Math.min(Integer.MAX_VALUE, Math.max(kept.restoreEpoch() + 1L, elapsed));
    return new Run(
        kept.id(),
        kept.startMillis(),
        epoch,
        restoredCheckpoint.isPresent() ? restoredCheckpoint.getAsLong() : null);
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

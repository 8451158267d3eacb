package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.late.ForeignRows;
import org.jspecify.annotations.Nullable;

/**
 * All that the engine looks at for one attempt to commit.
 *
 * @param truth the opinion on the ancestry that the commit is based on; null if there is none
 * @param facts what the commit holds
 * @param source what is known of the source; null without coverage
 * @param clock commit time and the parent's
 * @param signals what else happened
 */
public record Situation(
    @Nullable Opinion truth,
    EventTimeFacts facts,
    @Nullable Source source,
    CommitClock clock,
    Signals signals) {

  /**
   * What is known of the source.
   *
   * @param coverage where its expected partitions stand
   * @param previous the coverage of this writer's last commit; null for its first
   */
  public record Source(Coverage coverage, @Nullable Coverage previous) {}

  /**
   * Times of the commit.
   *
   * @param nowMillis the commit time: taken just before the store makes the commit, so never after
   *     the store's own timestamp of it
   * @param parentMillis the parent's commit time; null if there is no parent
   */
  public record CommitClock(long nowMillis, @Nullable Long parentMillis) {}

  /**
   * What happened to the table or the job.
   *
   * @param rolledBack the published mirror is on a branch that the table was rolled back from
   * @param inputEnded the input has ended, and the user declared it complete
   * @param foreignRows rows of foreign commits below the watermark, as an upper bound; each of
   *     those commits is a revision of the granules that it reaches into
   * @param foreignUnknown a foreign commit brought rows whose event times are not known
   */
  public record Signals(
      boolean rolledBack, boolean inputEnded, ForeignRows foreignRows, boolean foreignUnknown) {
    /** Nothing special. */
    public static final Signals NONE = new Signals(false, false, ForeignRows.NONE, false);
  }
}

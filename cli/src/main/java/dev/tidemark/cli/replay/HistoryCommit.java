package dev.tidemark.cli.replay;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.WriterState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One commit that carries an opinion, as far as its properties tell.
 *
 * @param made when, and on what
 * @param told what its writer told; null for a commit that changed the opinion alone: a writer that
 *     registered, an administrator
 * @param before the opinion it was based on; null where that is not kept
 * @param after the opinion it carries
 */
public record HistoryCommit(
    Made made, @Nullable Told told, @Nullable Opinion before, Opinion after) {
  /**
   * When a commit was made.
   *
   * @param id the store's id
   * @param timeMillis the store's commit time
   * @param parentMillis commit time of the one beneath it, whoever made it; null for none
   */
  public record Made(String id, long timeMillis, @Nullable Long parentMillis) {}

  /**
   * What a writer told with a commit.
   *
   * @param writer its name
   * @param facts of event time, without rows per granule: no store keeps those
   * @param coverage where its source stood; null where that was not recorded
   * @param late its late rows below the published watermark, exact
   * @param highestMillis the highest event time of the table up to here; null for none
   */
  public record Told(
      String writer,
      EventTimeFacts facts,
      @Nullable Coverage coverage,
      LateRows late,
      @Nullable Long highestMillis) {}

  /** Whether its writer told how far behind the rows are. */
  boolean isOfWriter() {
    return told != null;
  }

  Told toldNow() {
    return Objects.requireNonNull(told, "an opinion alone");
  }

  /** The watermark that its late rows were counted against; null for none. */
  @Nullable Long publishedBase() {
    return before == null ? null : before.watermarkMillis();
  }

  boolean isHeldBy(Hold.Reason reason) {
    Hold hold = after.hold();
    return hold != null && hold.reason() == reason;
  }

  /**
   * The clock that the engine saw: just before the store's own time. Where the commit holds stream
   * records the published window tells it; else the store's time stands for it.
   */
  long decidedAtMillis() {
    WriterState own = told == null ? null : after.writers().get(told.writer());
    boolean stamped = told != null && told.facts().hasStreamRecords() && own != null;
    long decided =
        stamped
            ? Math.min(Objects.requireNonNull(own).window().newestMillis(), made.timeMillis())
            : made.timeMillis();
    Long parent = made.parentMillis();
    boolean behind = isHeldBy(Hold.Reason.CLOCK) && parent != null;
    return behind ? Math.min(decided, Objects.requireNonNull(parent) - 1) : decided;
  }

  /**
   * Whether the writer said that its input has ended: its watermark moved on a promise that no
   * source made. Not recorded as such.
   */
  boolean inputEnded() {
    WriterState own = told == null ? null : after.writers().get(told.writer());
    if (own == null || own.watermarkMillis() == null || own.evidence() != Evidence.PROMISE) {
      return false;
    }
    WriterState earlier =
        before == null ? null : before.writers().get(Objects.requireNonNull(told).writer());
    boolean moved =
        earlier == null || !Objects.equals(earlier.watermarkMillis(), own.watermarkMillis());
    Long highest = own.highestMillis();
    boolean atTheEnd =
        highest != null
            && own.watermarkMillis()
                == after
                    .policy()
                    .granularity()
                    .floor(Math.min(after.policy().granularity().next(highest), decidedAtMillis()));
    boolean promised = after.policy().policy() instanceof FinalizationPolicy.SourcePromise;
    return moved && (!promised || (atTheEnd && Objects.requireNonNull(told).coverage() == null));
  }
}

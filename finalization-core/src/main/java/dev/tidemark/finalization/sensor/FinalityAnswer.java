package dev.tidemark.finalization.sensor;

import dev.tidemark.finalization.watermark.Hold;
import org.jspecify.annotations.Nullable;

/** The answer to "is this granule complete?". Every answer brings the state it was read from. */
public sealed interface FinalityAnswer {
  /** What the table said when it was asked. */
  TableFinality finality();

  /**
   * Complete: read it.
   *
   * @param revision how often the granule was reopened so far; remember it, and pass it when asking
   *     again
   */
  record Ready(TableFinality finality, int revision) implements FinalityAnswer {}

  /**
   * Not complete yet.
   *
   * @param hold why the watermark stands where it does; null if it moved with the last commit
   */
  record NotReady(TableFinality finality, @Nullable Hold hold) implements FinalityAnswer {}

  /**
   * Complete, and changed after it was: rows came late.
   *
   * @param rows late rows, all revisions together; exact for rows of the stream, an upper bound for
   *     those of foreign commits
   * @param revision the granule's revision now
   */
  record LateReopened(TableFinality finality, long rows, int revision) implements FinalityAnswer {}

  /** The table was rolled back behind a watermark that had been published: do not read. */
  record Revoked(TableFinality finality) implements FinalityAnswer {}

  /** Nobody claims anything of it: no opinion, or the granule lies before where it begins. */
  record Unknown(TableFinality finality) implements FinalityAnswer {}
}

package dev.tidemark.finalization.late;

import dev.tidemark.finalization.granule.GranuleCounts;

/**
 * Late rows found by one commit.
 *
 * @param watermarkMillis the watermark that the rows are behind: the one the commit is based on
 * @param rows late rows per granule, all of them
 * @param cause who brought them
 */
public record LateDataReport(long watermarkMillis, GranuleCounts rows, Cause cause) {

  /** Who brought late rows. */
  public enum Cause {
    /** The stream of this writer: exact counts. */
    STREAM,
    /** A commit of somebody else, found by its file bounds: rows are an upper bound. */
    FOREIGN
  }
}

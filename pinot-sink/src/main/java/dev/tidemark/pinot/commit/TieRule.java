package dev.tidemark.pinot.commit;

/** Who wins where a streamed and a backfilled row of one key have equal comparison values. */
public enum TieRule {
  /** The stream's row, always: live, after a segment is sealed, and after restarts. The default. */
  STREAM_WINS,
  /**
   * The backfilled row, over segments that are sealed before the run starts, with consumption
   * paused; a row that streams in afterwards wins again.
   */
  BACKFILL_WINS
}

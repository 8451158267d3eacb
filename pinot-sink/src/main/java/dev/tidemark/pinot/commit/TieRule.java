package dev.tidemark.pinot.commit;

/** Who wins where a streamed and a backfilled row of one key have equal comparison values. */
public enum TieRule {
  /** The stream's row, always: live, after a segment is sealed, and after restarts. The default. */
  STREAM_WINS,
  /**
   * The backfilled row, over segments that are sealed before the run is made, with consumption
   * paused until the run has ended: checked before each push, and kept over restarts of servers and
   * after consumption goes on. Only over what was sealed then: a row that streams in afterwards
   * with an equal comparison value wins again.
   */
  BACKFILL_WINS
}

package dev.tidemark.finalization.sensor;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a table says of its completeness at one moment, and the five answers that follow. Immutable
 * and thread-safe.
 *
 * @param opinion the truth on the ancestry of the head; null if there is none
 * @param revoked whether the published mirror is ahead of that truth, because the table was rolled
 *     back
 * @param snapshotId the store's id of the commit that carries the opinion; null without one
 * @param foreign rows that foreign commits since then brought below the watermark, an upper bound;
 *     each such commit is a revision, and stays one when a commit of ours takes its rows over
 * @param age how long ago that commit was made, by the reader's clock; zero without one
 * @param endsAtWatermark whether nobody claims anything past the watermark, so that what lies
 *     beyond is unknown rather than not ready: a table that a backfill filled up to there, and
 *     whose later rows come from somebody who keeps no facts
 */
public record TableFinality(
    @Nullable Opinion opinion,
    boolean revoked,
    @Nullable String snapshotId,
    ForeignRows foreign,
    Duration age,
    boolean endsAtWatermark) {

  /** The finality of a table whose watermark goes on. */
  public TableFinality(
      @Nullable Opinion opinion,
      boolean revoked,
      @Nullable String snapshotId,
      ForeignRows foreign,
      Duration age) {
    this(opinion, revoked, snapshotId, foreign, age, false);
  }

  /** The finality of a table without any opinion. */
  public static TableFinality unknown() {
    return new TableFinality(null, false, null, ForeignRows.NONE, Duration.ZERO);
  }

  /** Answers for the granule that holds this time, under the table's own granularity. */
  public FinalityAnswer answerAt(Instant time) {
    Opinion current = opinion;
    if (current == null) {
      return revoked ? new FinalityAnswer.Revoked(this) : new FinalityAnswer.Unknown(this);
    }
    Granularity granularity = current.policy().granularity();
    long start = granularity.floor(time.toEpochMilli());
    return answer(start, granularity.next(start), null);
  }

  /**
   * Answers for an interval of event time, of any granularity: an hour, a local day.
   *
   * @param startMillis inclusive, epoch milliseconds UTC
   * @param endMillis exclusive
   * @param readRevision the revision that the consumer has read already; null if none
   */
  public FinalityAnswer answer(long startMillis, long endMillis, @Nullable Integer readRevision) {
    Opinion current = opinion;
    if (revoked) {
      return new FinalityAnswer.Revoked(this);
    }
    if (current == null || current.watermark().fromMillis() == null) {
      return new FinalityAnswer.Unknown(this);
    }
    if (startMillis < current.watermark().fromMillis()) {
      return new FinalityAnswer.Unknown(this);
    }
    if (!current.watermark().covers(startMillis, endMillis)) {
      return endsAtWatermark
          ? new FinalityAnswer.Unknown(this)
          : new FinalityAnswer.NotReady(this, current.hold());
    }
    return reopenedOrReady(current, startMillis, endMillis, readRevision);
  }

  private FinalityAnswer reopenedOrReady(
      Opinion current, long startMillis, long endMillis, @Nullable Integer readRevision) {
    ReopenedGranules all = current.reopened().plus(foreign);
    // A granule that the interval only cuts may hold its late rows inside it.
    long first = current.policy().granularity().floor(startMillis);
    long rows = 0;
    int revision = 0;
    for (ReopenedGranules.Reopened granule : all.granules().subMap(first, endMillis).values()) {
      rows += granule.rows();
      revision += granule.revision();
    }
    if (all.mayHide(first)) {
      // Which granule those rows belong to is not kept; their number grows with each of them.
      rows = Math.max(rows, all.olderRows());
      revision = (int) Math.max(revision, Math.min(Integer.MAX_VALUE, all.olderRows()));
    }
    boolean known = readRevision != null && readRevision >= revision;
    return revision == 0 || known
        ? new FinalityAnswer.Ready(this, revision)
        : new FinalityAnswer.LateReopened(this, rows, revision);
  }
}

package dev.tidemark.cli.replay;

import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.RowsBelow;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateRows;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How many rows of a commit are late against a watermark that was not the published one: those with
 * an event time below it. Three sources, each with its bounds, and what all of them allow:
 *
 * <ul>
 *   <li>min and max of the commit, exact: no row is below a watermark that is not above the min;
 *   <li>the late rows that the commit recorded, exact per granule below the published watermark;
 *   <li>the digest's {@link EventTimeSketch#rowsBelow}, for what lies above it.
 * </ul>
 */
final class LateJudge {
  /** Granules above the published watermark that are told apart in one commit, newest first. */
  private static final int MOST_GRANULES = 48;

  private LateJudge() {}

  /** The late rows of a commit against a watermark; none without one. */
  static RowsBelow late(HistoryCommit commit, @Nullable Long watermark) {
    EventTimeSketch times = commit.toldNow().facts().times();
    if (watermark == null || times.isEmpty() || times.minMillis() >= watermark) {
      return RowsBelow.NONE;
    }
    RowsBelow below = times.rowsBelow(watermark);
    Long published = commit.publishedBase();
    return published == null ? below : below.and(recorded(commit, watermark, published));
  }

  /**
   * The late rows per granule.
   *
   * @param granularity of the replay; recorded granules are put into its granules
   */
  static SortedMap<Long, RowsBelow> perGranule(
      HistoryCommit commit, @Nullable Long watermark, Granularity granularity) {
    SortedMap<Long, RowsBelow> granules = new TreeMap<>();
    EventTimeSketch times = commit.toldNow().facts().times();
    if (watermark == null || times.isEmpty() || times.minMillis() >= watermark) {
      return granules;
    }
    Long published = commit.publishedBase();
    long known = Long.MIN_VALUE;
    if (published != null) {
      known = Math.min(published, watermark);
      addRecorded(granules, commit, known, granularity);
    }
    addEstimated(granules, times, Math.max(known, times.minMillis()), watermark, granularity);
    return granules;
  }

  private static RowsBelow recorded(HistoryCommit commit, long watermark, long published) {
    LateRows late = commit.toldNow().late();
    long count = commit.toldNow().facts().times().count();
    if (watermark >= published) {
      return RowsBelow.between(
          late.total(), late.total(), watermark == published ? late.total() : count);
    }
    Granularity recorded = commit.after().policy().granularity();
    SortedMap<Long, Long> granules = late.granules().asMap();
    boolean olderAreBelow = granules.isEmpty() || granules.firstKey() <= watermark;
    long least = olderAreBelow && !granules.isEmpty() ? late.olderRows() : 0;
    long most = late.olderRows();
    for (Map.Entry<Long, Long> granule : granules.headMap(watermark).entrySet()) {
      least += recorded.next(granule.getKey()) <= watermark ? granule.getValue() : 0;
      most += granule.getValue();
    }
    return RowsBelow.between(least, least, most);
  }

  private static void addRecorded(
      SortedMap<Long, RowsBelow> granules,
      HistoryCommit commit,
      long end,
      Granularity granularity) {
    Granularity recorded = commit.after().policy().granularity();
    commit.toldNow().late().granules().asMap().headMap(end).entrySet().stream()
        .filter(granule -> recorded.next(granule.getKey()) <= end)
        .forEach(
            granule ->
                granules.merge(
                    granularity.floor(granule.getKey()),
                    RowsBelow.exactly(granule.getValue()),
                    RowsBelow::plus));
  }

  private static void addEstimated(
      SortedMap<Long, RowsBelow> granules,
      EventTimeSketch times,
      long from,
      long watermark,
      Granularity granularity) {
    long end = watermark;
    for (int i = 0; i < MOST_GRANULES && end > from; i++) {
      long start = Math.max(from, granularity.floor(end - 1));
      RowsBelow upTo = times.rowsBelow(end);
      RowsBelow before = times.rowsBelow(start);
      long certain = start <= times.minMillis() ? 1 : 0;
      long least = Math.max(certain, upTo.least() - before.most());
      RowsBelow inside =
          RowsBelow.between(
              least,
              upTo.estimate() - before.estimate(),
              Math.max(least, upTo.most() - before.least()));
      if (inside.estimate() > 0) {
        granules.merge(granularity.floor(start), inside, RowsBelow::plus);
      }
      end = start;
    }
  }
}

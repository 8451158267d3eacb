package dev.tidemark.cli.replay;

import dev.tidemark.finalization.eventtime.RowsBelow;
import dev.tidemark.finalization.granule.Granularity;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a watermark was worth over some commits.
 *
 * @param commits how many
 * @param rows their stream records
 * @param late those below the watermark that their commit was based on
 * @param behindCommit commit time less watermark
 * @param behindEvents highest event time so far less watermark
 * @param reopened late rows by granule; granules recorded in a sum of older ones are missing
 * @param finals granules that became final
 */
public record Figures(
    int commits,
    long rows,
    RowsBelow late,
    Lag behindCommit,
    Lag behindEvents,
    SortedMap<Long, RowsBelow> reopened,
    long finals) {
  private static final int MOST_FINALS = 1_000_000;

  /**
   * A lag after each commit, each commit counting the same.
   *
   * @param meanMillis on average
   * @param p95Millis at most so much after 95 of 100 commits (nearest rank)
   */
  public record Lag(double meanMillis, long p95Millis) {
    static Lag of(long[] millis) {
      long[] sorted = millis.clone();
      Arrays.sort(sorted);
      int rank = (int) Math.ceil(0.95 * sorted.length);
      return sorted.length == 0
          ? new Lag(Double.NaN, 0)
          : new Lag(Arrays.stream(sorted).average().orElseThrow(), sorted[Math.max(0, rank - 1)]);
    }
  }

  /** Over these steps, all of writers and with a watermark before them. */
  static Figures of(List<Step> steps, Granularity granularity) {
    long rows = 0;
    RowsBelow late = RowsBelow.NONE;
    SortedMap<Long, RowsBelow> reopened = new TreeMap<>();
    long[] behindCommit = new long[steps.size()];
    long[] behindEvents = new long[steps.size()];
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      long watermark = Objects.requireNonNull(step.after(), "no watermark");
      Long highest = step.commit().toldNow().highestMillis();
      rows += step.commit().toldNow().facts().times().count();
      late = late.plus(LateJudge.late(step.commit(), step.base()));
      LateJudge.perGranule(step.commit(), step.base(), granularity)
          .forEach((granule, more) -> reopened.merge(granule, more, RowsBelow::plus));
      behindCommit[i] = step.commit().made().timeMillis() - watermark;
      behindEvents[i] = (highest == null ? watermark : highest) - watermark;
    }
    return new Figures(
        steps.size(),
        rows,
        late,
        Lag.of(behindCommit),
        Lag.of(behindEvents),
        reopened,
        finals(steps, granularity));
  }

  /** The share of late rows; 0 without rows. */
  public double lateShare() {
    return share(late.estimate());
  }

  /** The least share that the sketches allow. */
  public double leastLateShare() {
    return share(late.least());
  }

  /** The greatest share that the sketches allow. */
  public double mostLateShare() {
    return share(late.most());
  }

  /** Granules that were final and got rows later. */
  public int falseFinals() {
    return reopened.size();
  }

  private double share(long part) {
    return rows == 0 ? 0 : (double) part / rows;
  }

  private static long finals(List<Step> steps, Granularity granularity) {
    if (steps.isEmpty()) {
      return 0;
    }
    @Nullable Long start = steps.get(0).base();
    long end = Objects.requireNonNull(steps.get(steps.size() - 1).after());
    long count = 0;
    long at = start == null ? end : granularity.ceil(start);
    while (at < end && count < MOST_FINALS) {
      at = granularity.next(at);
      count++;
    }
    return count;
  }
}

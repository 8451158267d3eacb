package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;

/**
 * The facts of two sinks in one job: whenever the one with fewer commits has made one, its facts
 * are those of the other one's commits since its last, put together. Counts, the ends and the rows
 * per hour are equal; quantiles may differ by what two sketches may be wrong.
 *
 * @param commits how many were compared
 * @param rows in all of them, those that count for no watermark too
 * @param differences a line for each commit that differs
 */
record FactsComparison(int commits, long rows, List<String> differences) {
  private static final double[] QUANTILES = {0.01, 0.1, 0.5, 0.9, 0.99};

  /** Compares commit by commit; commits that only one of the two has reached are left out. */
  static FactsComparison of(
      NavigableMap<Long, EventTimeFacts> often, NavigableMap<Long, EventTimeFacts> seldom) {
    List<String> differences = new ArrayList<>();
    int commits = 0;
    long rows = 0;
    long previous = 0;
    for (Long checkpoint : seldom.keySet()) {
      if (often.isEmpty() || checkpoint > often.lastKey()) {
        break;
      }
      EventTimeFacts one = seldom.get(checkpoint);
      EventTimeFacts other =
          EventTimeFacts.merge(
              List.copyOf(often.subMap(previous, false, checkpoint, true).values()));
      if (!agree(one, other)) {
        differences.add(
            "checkpoints %d to %d: Pinot %s, Iceberg %s"
                .formatted(previous + 1, checkpoint, describe(one), describe(other)));
      }
      commits++;
      rows += rows(one);
      previous = checkpoint;
    }
    return new FactsComparison(commits, rows, List.copyOf(differences));
  }

  boolean agrees() {
    return differences.isEmpty();
  }

  private static long rows(EventTimeFacts facts) {
    SetAside aside = facts.setAside();
    return facts.times().count()
        + aside.nullCount()
        + aside.invalidCount()
        + aside.snapshotCount()
        + aside.backfillCount();
  }

  private static boolean agree(EventTimeFacts one, EventTimeFacts other) {
    return one.granules().equals(other.granules())
        && one.setAside().equals(other.setAside())
        && agree(one.times(), other.times());
  }

  private static boolean agree(EventTimeSketch one, EventTimeSketch other) {
    if (one.count() != other.count() || one.isEmpty()) {
      return one.count() == other.count();
    }
    boolean close = one.minMillis() == other.minMillis() && one.maxMillis() == other.maxMillis();
    for (double quantile : QUANTILES) {
      // Each of the two may be off by what EventTimeSketch states.
      double error = 2 * (0.0003 + 0.06 * quantile * (1 - quantile)) + 1.0 / one.count();
      long time = one.quantileMillis(quantile);
      close &= other.quantileMillis(Math.max(0, quantile - error)) <= time;
      close &= time <= other.quantileMillis(Math.min(1, quantile + error));
    }
    return close;
  }

  private static String describe(EventTimeFacts facts) {
    return facts.times() + " " + facts.granules() + " " + facts.setAside();
  }
}

package dev.tidemark.benchmarks;

import dev.tidemark.finalization.eventtime.EventTimeFacts;

/** Count, minimum and maximum by plain computation, to check facts against. */
final class Totals {
  private long count;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;

  /** Totals of the times from one index (inclusive) to another (exclusive). */
  static Totals of(long[] timesMillis, int from, int to) {
    Totals totals = new Totals();
    totals.add(timesMillis, from, to);
    return totals;
  }

  void add(long[] timesMillis) {
    add(timesMillis, 0, timesMillis.length);
  }

  private void add(long[] timesMillis, int from, int to) {
    count += to - from;
    for (int i = from; i < to; i++) {
      min = Math.min(min, timesMillis[i]);
      max = Math.max(max, timesMillis[i]);
    }
  }

  /**
   * Compares, rows per granule included.
   *
   * @throws IllegalStateException if the facts differ
   */
  void verify(EventTimeFacts facts) {
    if (facts.times().count() != count
        || facts.granules().total() != count
        || facts.times().minMillis() != min
        || facts.times().maxMillis() != max) {
      throw new IllegalStateException(
          "Wrong facts: " + facts + " (expected: " + count + " in [" + min + ", " + max + "])");
    }
  }
}

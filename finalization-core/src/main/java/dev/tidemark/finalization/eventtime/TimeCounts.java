package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;

/** Credible event times: their number, minimum, maximum and buckets. Used by one thread. */
final class TimeCounts {
  private final Granularity granularity;
  private final BucketCounts buckets;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;

  TimeCounts(Granularity granularity) {
    this.granularity = granularity;
    this.buckets = new BucketCounts(granularity);
  }

  /** Adds the first {@code size} of these times, epoch milliseconds. */
  void addAll(long[] timesMillis, int size) {
    long lowest = min;
    long highest = max;
    for (int i = 0; i < size; i++) {
      lowest = Math.min(lowest, timesMillis[i]);
      highest = Math.max(highest, timesMillis[i]);
      buckets.add(timesMillis[i]);
    }
    min = lowest;
    max = highest;
  }

  /** The facts of these times and of what was set aside. */
  EventTimeFacts facts(SetAside aside) {
    BucketCounts.Sorted sorted = buckets.sorted();
    boolean empty = sorted.starts().length == 0;
    EventTimeSketch sketch =
        empty ? EventTimeSketch.empty() : EventTimeSketch.ofBuckets(min, max, sorted);
    GranuleCounts perGranule = sorted.perGranule(granularity);
    return new EventTimeFacts(sketch, aside, perGranule);
  }

  void reset() {
    buckets.clear();
    min = Long.MAX_VALUE;
    max = Long.MIN_VALUE;
  }
}

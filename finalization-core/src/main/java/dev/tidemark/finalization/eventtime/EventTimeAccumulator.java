package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.accumulator.Accumulator;
import dev.tidemark.finalization.granule.Granularity;
import java.time.Clock;

/**
 * Counts the event times of one writer. Count, min, max and rows per granule are exact; the sketch
 * is built once, when the snapshot is taken. Used by one thread.
 *
 * <p>The clock is asked only when a record is later than anything the last reading allowed, so a
 * record costs a comparison and not a system call.
 *
 * @param <T> the record
 */
public final class EventTimeAccumulator<T> implements Accumulator<T, EventTimeFacts> {
  private final EventTimeExtractor<T> extractor;
  private final Granularity granularity;
  private final Clock clock;
  private final long earliestMillis;
  private final long maxSkewMillis;
  private long latestMillis = Long.MIN_VALUE;

  private final BucketCounts buckets;
  private long min;
  private long max;
  private long nullCount;
  private long invalidCount;
  private long invalidMin;
  private long invalidMax;
  private long snapshotCount;
  private long backfillCount;

  /**
   * @param extractor reads each record's event time and role
   * @param granularity the granules in which late rows are counted
   * @param bounds what is credible
   * @param clock the writer's clock
   */
  public EventTimeAccumulator(
      EventTimeExtractor<T> extractor,
      Granularity granularity,
      EventTimeBounds bounds,
      Clock clock) {
    this.extractor = extractor;
    this.granularity = granularity;
    this.clock = clock;
    this.earliestMillis = bounds.earliest().toEpochMilli();
    this.maxSkewMillis = bounds.maxSkew().toMillis();
    this.buckets = new BucketCounts(granularity);
    reset();
  }

  @Override
  public void add(T record) {
    RecordRole role = extractor.role(record);
    if (role != RecordRole.STREAM) {
      addApart(role);
    } else if (!extractor.hasEventTime(record)) {
      nullCount++;
    } else {
      addTime(extractor.eventTimeMillis(record));
    }
  }

  @Override
  public EventTimeFacts snapshot() {
    BucketCounts.Sorted sorted = buckets.sorted();
    boolean empty = sorted.starts().length == 0;
    return new EventTimeFacts(
        empty ? EventTimeSketch.empty() : EventTimeSketch.ofBuckets(min, max, sorted),
        new SetAside(nullCount, invalidCount, invalidMin, invalidMax, snapshotCount, backfillCount),
        sorted.perGranule(granularity));
  }

  @Override
  public void reset() {
    buckets.clear();
    min = Long.MAX_VALUE;
    max = Long.MIN_VALUE;
    nullCount = 0;
    invalidCount = 0;
    invalidMin = SetAside.NONE.invalidMinMillis();
    invalidMax = SetAside.NONE.invalidMaxMillis();
    snapshotCount = 0;
    backfillCount = 0;
  }

  private void addTime(long timeMillis) {
    if (timeMillis < earliestMillis || (timeMillis > latestMillis && isAheadOfClock(timeMillis))) {
      invalidCount++;
      invalidMin = Math.min(invalidMin, timeMillis);
      invalidMax = Math.max(invalidMax, timeMillis);
      return;
    }
    min = Math.min(min, timeMillis);
    max = Math.max(max, timeMillis);
    buckets.add(timeMillis);
  }

  private boolean isAheadOfClock(long timeMillis) {
    latestMillis = Math.max(latestMillis, clock.millis() + maxSkewMillis);
    return timeMillis > latestMillis;
  }

  private void addApart(RecordRole role) {
    if (role == RecordRole.SNAPSHOT) {
      snapshotCount++;
    } else {
      backfillCount++;
    }
  }
}

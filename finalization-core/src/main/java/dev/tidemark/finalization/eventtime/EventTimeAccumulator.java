package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.accumulator.Accumulator;
import dev.tidemark.finalization.granule.Granularity;
import java.time.Clock;

/**
 * Counts the event times of one writer. Count, min, max and rows per granule are exact; the sketch
 * is built once, when the snapshot is taken. Used by one thread.
 *
 * <p>The clock is asked only when a record is later than anything the last reading allowed, so a
 * record costs a comparison and not a system call. Times wait in a list and are counted many at a
 * time: between two records a writer touches so much memory that the buckets have left the near
 * caches, and what a record costs is the cache lines that it needs.
 *
 * @param <T> the record
 */
public final class EventTimeAccumulator<T> implements Accumulator<T, EventTimeFacts> {
  /** Enough that what counting needs is fetched once for very many records; 8 kB. */
  private static final int MAX_WAITING = 1_024;

  private final EventTimeExtractor<T> extractor;
  private final long[] waiting = new long[MAX_WAITING];
  private final long earliestMillis;
  private long latestMillis = Long.MIN_VALUE;
  private int waitingCount;

  private final TimeCounts counts;
  private final SetAsideCounter aside = new SetAsideCounter();
  private final Clock clock;
  private final long maxSkewMillis;

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
    this.clock = clock;
    this.earliestMillis = bounds.earliest().toEpochMilli();
    this.maxSkewMillis = bounds.maxSkew().toMillis();
    this.counts = new TimeCounts(granularity);
  }

  @Override
  public void add(T record) {
    RecordRole role = extractor.role(record);
    if (role != RecordRole.STREAM) {
      aside.addRole(role);
    } else if (!extractor.hasEventTime(record)) {
      aside.addNull();
    } else {
      addTime(extractor.eventTimeMillis(record));
    }
  }

  @Override
  public EventTimeFacts snapshot() {
    countWaiting();
    return counts.facts(aside.counted());
  }

  @Override
  public void reset() {
    waitingCount = 0;
    counts.reset();
    aside.reset();
  }

  private void addTime(long timeMillis) {
    if (timeMillis < earliestMillis || (timeMillis > latestMillis && isAheadOfClock(timeMillis))) {
      aside.addInvalid(timeMillis);
      return;
    }
    waiting[waitingCount++] = timeMillis;
    if (waitingCount == MAX_WAITING) {
      countWaiting();
    }
  }

  private void countWaiting() {
    counts.addAll(waiting, waitingCount);
    waitingCount = 0;
  }

  private boolean isAheadOfClock(long timeMillis) {
    latestMillis = Math.max(latestMillis, clock.millis() + maxSkewMillis);
    return timeMillis > latestMillis;
  }
}

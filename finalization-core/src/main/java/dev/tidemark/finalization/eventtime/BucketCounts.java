package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts per time bucket in a primitive open-addressing map. Buckets are 100 ms wide and become
 * coarser, step by step, once more than {@value #MAX_BUCKETS} are in use; every width divides the
 * granule, so counts per granule stay exact. Not thread-safe.
 *
 * <p>Why not a digest per record: a t-digest costs 160 ns a record where this costs about 5, and
 * the digest built from weighted buckets at the checkpoint has the same error to within a bucket.
 */
final class BucketCounts {
  static final int MAX_BUCKETS = 1 << 16;
  private static final long[] WIDTHS = {100, 1_000, 10_000, 60_000, 300_000, 900_000};
  private static final int INITIAL_SLOTS = 1 << 10;

  /** At most half of the slots are in use; only the coarsest buckets may need more than this. */
  private static final int MAX_SLOTS = 2 * MAX_BUCKETS;

  private final long[] widths;
  private int level;
  private long width;
  private double perMilli;
  private long[] keys;
  private long[] counts;
  private int mask;
  private int maxUsed;
  private int used;

  BucketCounts(Granularity granularity) {
    long slice = granularity.sliceMillis();
    long[] dividing = Arrays.stream(WIDTHS).filter(w -> slice % w == 0).toArray();
    this.widths = dividing.length > 0 ? dividing : new long[] {slice};
    useLevel(0);
    allocate(INITIAL_SLOTS);
  }

  void add(long timeMillis) {
    if (addTo(bucketOf(timeMillis), 1)) {
      makeRoom();
    }
  }

  /** The buckets in ascending order. */
  Sorted sorted() {
    long[] starts = new long[used];
    int next = 0;
    for (int slot = 0; slot < keys.length; slot++) {
      if (counts[slot] != 0) {
        starts[next++] = keys[slot];
      }
    }
    Arrays.sort(starts);
    long[] rows = new long[used];
    for (int i = 0; i < used; i++) {
      rows[i] = counts[slotOf(starts[i])];
      starts[i] *= width;
    }
    return new Sorted(starts, rows, width);
  }

  /** Forgets all counts. The slots stay for the next checkpoint, unless they were far too many. */
  void clear() {
    useLevel(0);
    if (keys.length > MAX_SLOTS) {
      allocate(MAX_SLOTS);
    } else if (keys.length > INITIAL_SLOTS && used < keys.length / 16) {
      allocate(keys.length / 2);
    } else {
      Arrays.fill(counts, 0);
      used = 0;
    }
  }

  /**
   * Buckets in ascending order.
   *
   * @param starts bucket starts, epoch milliseconds
   * @param rows rows per bucket, positive
   * @param width bucket width in milliseconds
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the package
  record Sorted(long[] starts, long[] rows, long width) {
    GranuleCounts perGranule(Granularity granularity) {
      SortedMap<Long, Long> counts = new TreeMap<>();
      int i = 0;
      while (i < starts.length) {
        long granule = granularity.floor(starts[i]);
        long end = granularity.next(granule);
        long sum = 0;
        while (i < starts.length && starts[i] < end) {
          sum += rows[i++];
        }
        counts.put(granule, sum);
      }
      return GranuleCounts.of(counts);
    }
  }

  private void useLevel(int newLevel) {
    level = newLevel;
    width = widths[newLevel];
    perMilli = 1.0 / width;
  }

  /**
   * Floor division by way of a multiplication, corrected: a long division takes five times as long.
   */
  private long bucketOf(long timeMillis) {
    long quotient = (long) (timeMillis * perMilli);
    long rest = timeMillis - quotient * width;
    if (rest < 0) {
      return quotient - 1;
    }
    return rest >= width ? quotient + 1 : quotient;
  }

  /** Adds rows to a bucket and says whether that took the last of the slots that may be used. */
  private boolean addTo(long bucket, long rows) {
    int slot = slotOf(bucket);
    long before = counts[slot];
    counts[slot] = before + rows;
    if (before != 0) {
      return false;
    }
    keys[slot] = bucket;
    return ++used > maxUsed;
  }

  /**
   * Buckets of a stream lie side by side in time, so they lie side by side in the table too: that
   * is free of collisions within a span of the table's size, and kind to the processor's cache. Two
   * that collide all the same go on in steps of their own, so that no run of full slots slows down
   * another.
   */
  private int slotOf(long bucket) {
    int slot = (int) bucket & mask;
    if (counts[slot] != 0 && keys[slot] != bucket) {
      int step = (int) ((bucket * 0x9E3779B97F4A7C15L) >>> 40) | 1;
      do {
        slot = (slot + step) & mask;
      } while (counts[slot] != 0 && keys[slot] != bucket);
    }
    return slot;
  }

  private void makeRoom() {
    if (used <= MAX_BUCKETS || level + 1 == widths.length) {
      rebuild(keys.length * 2, 1);
    }
    while (used > MAX_BUCKETS && level + 1 < widths.length) {
      long factor = widths[level + 1] / width;
      useLevel(level + 1);
      rebuild(keys.length, factor);
    }
  }

  private void rebuild(int slots, long factor) {
    long[] oldKeys = keys;
    long[] oldCounts = counts;
    allocate(slots);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldCounts[i] != 0) {
        addTo(Math.floorDiv(oldKeys[i], factor), oldCounts[i]);
      }
    }
  }

  private void allocate(int slots) {
    keys = new long[slots];
    counts = new long[slots];
    mask = slots - 1;
    maxUsed = slots / 2;
    used = 0;
  }
}

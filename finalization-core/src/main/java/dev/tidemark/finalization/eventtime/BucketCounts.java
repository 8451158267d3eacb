package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts per time bucket. Buckets are 100 ms wide and become coarser, step by step, once more than
 * {@value #MAX_PAGES} pages of {@value #PAGE} adjacent ones are in use; every width divides the
 * granule, so counts per granule stay exact. Not thread-safe.
 *
 * <p>The pages lie in an open-addressing map by their number. A record costs one look at a page's
 * number and one at its count, and no branch that depends on whether the bucket is new: times of a
 * stream come out of order, so nothing could predict it.
 *
 * <p>Why not a digest per record: a t-digest costs 160 ns a record where this costs about 5, and
 * the digest built from weighted buckets at the checkpoint has the same error to within a bucket.
 */
final class BucketCounts {
  /** Pages in use before buckets become coarser; only the coarsest may need more. */
  static final int MAX_PAGES = 1 << 10;

  private static final int PAGE_BITS = 4;

  /** Buckets in a page. */
  static final int PAGE = 1 << PAGE_BITS;

  private static final long[] WIDTHS = {100, 1_000, 10_000, 60_000, 300_000, 900_000};
  private static final int INITIAL_SLOTS = 1 << 7;

  /** Slots that are kept from one checkpoint to the next; at most half of them are in use. */
  private static final int MAX_KEPT_SLOTS = 2 * MAX_PAGES;

  /** No page has this number: the widest range of times, in milliseconds, has fewer pages. */
  private static final long NO_PAGE = Long.MIN_VALUE;

  private final long[] widths;
  private int level;
  private long width;
  private long perMilli;
  private long[] pages;
  private long[] counts;
  private int mask;
  private int used;

  BucketCounts(Granularity granularity) {
    long slice = granularity.sliceMillis();
    long[] dividing = Arrays.stream(WIDTHS).filter(w -> slice % w == 0).toArray();
    this.widths = dividing.length > 0 ? dividing : new long[] {slice};
    useLevel(0);
    allocate(INITIAL_SLOTS);
  }

  void add(long timeMillis) {
    addTo(bucketOf(timeMillis), 1);
  }

  /** The buckets in ascending order. */
  Sorted sorted() {
    long[] numbers = new long[used];
    int next = 0;
    for (long page : pages) {
      if (page != NO_PAGE) {
        numbers[next++] = page;
      }
    }
    Arrays.sort(numbers);
    long[] starts = new long[used * PAGE];
    long[] rows = new long[used * PAGE];
    int size = 0;
    for (long page : numbers) {
      int first = slotOf(page) << PAGE_BITS;
      for (int i = 0; i < PAGE; i++) {
        starts[size] = ((page << PAGE_BITS) + i) * width;
        rows[size] = counts[first + i];
        size += rows[size] == 0 ? 0 : 1;
      }
    }
    return new Sorted(Arrays.copyOf(starts, size), Arrays.copyOf(rows, size), width);
  }

  /** Forgets all counts. The slots stay for the next checkpoint, unless they were far too many. */
  void clear() {
    useLevel(0);
    if (pages.length > MAX_KEPT_SLOTS) {
      allocate(MAX_KEPT_SLOTS);
    } else if (pages.length > INITIAL_SLOTS && used < pages.length / 16) {
      allocate(pages.length / 2);
    } else {
      Arrays.fill(pages, NO_PAGE);
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
    perMilli = Long.divideUnsigned(-1L, width) + 1;
  }

  /**
   * Floor division by way of a multiplication with 2^64 / width, corrected: a long division takes
   * five times as long.
   */
  private long bucketOf(long timeMillis) {
    long quotient = Math.multiplyHigh(timeMillis, perMilli);
    long rest = timeMillis - quotient * width;
    if (rest < 0) {
      return quotient - 1;
    }
    return rest >= width ? quotient + 1 : quotient;
  }

  private void addTo(long bucket, long rows) {
    long page = bucket >> PAGE_BITS;
    int slot = slotOf(page);
    counts[(slot << PAGE_BITS) + (int) (bucket & (PAGE - 1))] += rows;
    if (pages[slot] == NO_PAGE) {
      pages[slot] = page;
      if (++used > pages.length / 2) {
        makeRoom();
      }
    }
  }

  /**
   * The slot of a page, or the free one where it belongs. Pages of a stream lie side by side in
   * time, so they lie side by side in the map too: that is free of collisions within a span of the
   * map's size, and kind to the processor's cache. Two that collide all the same go on in steps of
   * their own, so that no run of full slots slows down another.
   */
  private int slotOf(long page) {
    int slot = (int) page & mask;
    if (pages[slot] != page && pages[slot] != NO_PAGE) {
      int step = (int) ((page * 0x9E3779B97F4A7C15L) >>> 40) | 1;
      do {
        slot = (slot + step) & mask;
      } while (pages[slot] != page && pages[slot] != NO_PAGE);
    }
    return slot;
  }

  private void makeRoom() {
    long[] oldPages = pages;
    long[] oldCounts = counts;
    long oldWidth = width;
    boolean isCoarsest = level + 1 == widths.length;
    if (used <= MAX_PAGES || isCoarsest) {
      allocate(pages.length * 2);
    } else {
      useLevel(level + 1);
      allocate(pages.length);
    }
    // May make room in turn: a page may lie across two pages of coarser buckets.
    for (int slot = 0; slot < oldPages.length; slot++) {
      if (oldPages[slot] != NO_PAGE) {
        long first = oldPages[slot] << PAGE_BITS;
        for (int i = 0; i < PAGE; i++) {
          long rows = oldCounts[(slot << PAGE_BITS) + i];
          if (rows != 0) {
            addTo(bucketOf((first + i) * oldWidth), rows);
          }
        }
      }
    }
  }

  private void allocate(int slots) {
    pages = new long[slots];
    counts = new long[slots << PAGE_BITS];
    Arrays.fill(pages, NO_PAGE);
    mask = slots - 1;
    used = 0;
  }
}

package dev.tidemark.finalization.granule;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Rows per granule, exact: pairs of (granule start in epoch milliseconds, rows), starts ascending
 * and rows positive. Immutable and thread-safe.
 */
public final class GranuleCounts {
  private static final GranuleCounts NONE = new GranuleCounts(new long[0], new long[0]);

  private final long[] starts;
  private final long[] rows;

  private GranuleCounts(long[] starts, long[] rows) {
    this.starts = starts;
    this.rows = rows;
  }

  /** No rows at all. */
  public static GranuleCounts none() {
    return NONE;
  }

  /** Counts by granule start; entries without rows are left out. */
  public static GranuleCounts of(SortedMap<Long, Long> rowsByStart) {
    long[] starts = new long[rowsByStart.size()];
    long[] rows = new long[rowsByStart.size()];
    int size = 0;
    for (var entry : rowsByStart.entrySet()) {
      if (entry.getValue() < 0) {
        throw new IllegalArgumentException(
            "Invalid rows of granule " + entry.getKey() + ": " + entry.getValue());
      }
      if (entry.getValue() > 0) {
        starts[size] = entry.getKey();
        rows[size++] = entry.getValue();
      }
    }
    return trimmed(starts, rows, size);
  }

  /** The sum of all parts: the same in any order and any grouping. */
  public static GranuleCounts merge(List<GranuleCounts> parts) {
    if (parts.isEmpty()) {
      return NONE;
    }
    if (parts.size() == 1) {
      return parts.get(0);
    }
    int half = parts.size() / 2;
    return merge(parts.subList(0, half)).plus(merge(parts.subList(half, parts.size())));
  }

  private GranuleCounts plus(GranuleCounts that) {
    long[] sumStarts = new long[starts.length + that.starts.length];
    long[] sumRows = new long[sumStarts.length];
    int size = 0;
    int i = 0;
    int j = 0;
    while (i < starts.length || j < that.starts.length) {
      boolean mine = j == that.starts.length || (i < starts.length && starts[i] <= that.starts[j]);
      long start = mine ? starts[i] : that.starts[j];
      long sum = mine ? rows[i++] : 0;
      if (j < that.starts.length && that.starts[j] == start) {
        sum = Math.addExact(sum, that.rows[j++]);
      }
      sumStarts[size] = start;
      sumRows[size++] = sum;
    }
    return trimmed(sumStarts, sumRows, size);
  }

  /**
   * The rows of granules that start before a watermark. Where the watermark is a boundary of these
   * granules the result is exact; where it cuts a granule (the granularity was changed), that
   * granule's rows are counted whole, so that lateness is over-reported rather than hidden.
   *
   * @param watermarkMillis exclusive upper bound
   */
  public GranuleCounts before(long watermarkMillis) {
    int end = Arrays.binarySearch(starts, watermarkMillis);
    int size = end >= 0 ? end : -end - 1;
    return trimmed(starts, rows, size);
  }

  /** The same rows under coarser or other boundaries; {@code floor} maps a start to the new one. */
  public GranuleCounts regroup(LongUnaryOperator floor) {
    SortedMap<Long, Long> regrouped = new TreeMap<>();
    for (int i = 0; i < starts.length; i++) {
      regrouped.merge(floor.applyAsLong(starts[i]), rows[i], Math::addExact);
    }
    return of(regrouped);
  }

  /** All rows together. */
  public long total() {
    long total = 0;
    for (long count : rows) {
      total = Math.addExact(total, count);
    }
    return total;
  }

  /** Whether there is no row. */
  public boolean isEmpty() {
    return starts.length == 0;
  }

  /** A copy: granule start to rows, ascending. */
  public SortedMap<Long, Long> asMap() {
    SortedMap<Long, Long> map = new TreeMap<>();
    for (int i = 0; i < starts.length; i++) {
      map.put(starts[i], rows[i]);
    }
    return map;
  }

  /** Writes the counts; starts as differences. */
  public void writeTo(ByteWriter out) {
    out.writeUnsigned(starts.length);
    long previous = 0;
    for (int i = 0; i < starts.length; i++) {
      out.writeSigned(starts[i] - previous).writeUnsigned(rows[i]);
      previous = starts[i];
    }
  }

  /** Reads what {@link #writeTo} wrote. */
  public static GranuleCounts readFrom(ByteReader in) {
    int size = in.readCount();
    long[] starts = new long[size];
    long[] rows = new long[size];
    for (int i = 0; i < size; i++) {
      starts[i] = (i == 0 ? 0 : starts[i - 1]) + in.readSigned();
      rows[i] = in.readUnsigned();
      if (rows[i] < 1 || (i > 0 && starts[i] <= starts[i - 1])) {
        throw in.corrupt(rows[i] + " rows in granule " + starts[i] + " (expected: ascending)");
      }
    }
    return trimmed(starts, rows, size);
  }

  private static GranuleCounts trimmed(long[] starts, long[] rows, int size) {
    return size == 0
        ? NONE
        : new GranuleCounts(Arrays.copyOf(starts, size), Arrays.copyOf(rows, size));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof GranuleCounts that
        && Arrays.equals(starts, that.starts)
        && Arrays.equals(rows, that.rows);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(starts) + Arrays.hashCode(rows);
  }

  @Override
  public String toString() {
    return asMap().toString();
  }
}

package dev.tidemark.finalization.eventtime;

import com.tdunning.math.stats.Centroid;
import com.tdunning.math.stats.MergingDigest;
import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of event times in one commit: count, min and max exactly, quantiles by a
 * t-digest (T. Dunning, O. Ertl, "Computing extremely accurate quantiles using t-digests", 2019;
 * merging digest, compression {@value #COMPRESSION}). The rank error, how far the share of records
 * below an answer is from the quantile q asked for, stays under 0.03 % + 6 % of q(1 − q): 0.1 % at
 * q = 0.01, 1.5 % in the middle; under four times that once {@link #toText()} had to squeeze a
 * sketch. Times are epoch milliseconds, UTC. Immutable and thread-safe.
 *
 * <p><b>Bytes</b> (version 1): version byte, count; unless count is 0: min, max − min, number of
 * centroids, then per centroid, ascending, the mean's distance from the previous mean (from min for
 * the first) and the weight; all as variable-length unsigned integers but min, which is signed.
 */
public final class EventTimeSketch {
  /** The compression at which sketches are built and merged. */
  public static final int COMPRESSION = 100;

  /** The greatest length of {@link #toText()}. */
  public static final int MAX_TEXT_LENGTH = 300;

  private static final String SUBJECT = "event-time sketch";
  private static final int VERSION = 1;
  private static final int[] TEXT_COMPRESSIONS = {100, 80, 64, 50, 40, 32, 24, 16, 10};
  private static final int TDIGEST_VERBOSE_ENCODING = 1;
  private static final double END_SHIFT = 0.25;

  /** Centroids on each side of a time that may hold records of its other side. */
  private static final int SLACK = 2;

  private static final EventTimeSketch EMPTY =
      new EventTimeSketch(0, 0, 0, new long[0], new long[0]);

  private final long count;
  private final long min;
  private final long max;
  private final long[] means;
  private final long[] weights;

  private EventTimeSketch(long count, long min, long max, long[] means, long[] weights) {
    this.count = count;
    this.min = min;
    this.max = max;
    this.means = means;
    this.weights = weights;
  }

  /** The sketch of no record. */
  public static EventTimeSketch empty() {
    return EMPTY;
  }

  /** The sketch of some times, in any order; for tests and small batches. */
  public static EventTimeSketch of(long... timesMillis) {
    long[] sorted = timesMillis.clone();
    Arrays.sort(sorted);
    long[] ones = new long[sorted.length];
    Arrays.fill(ones, 1);
    return sorted.length == 0
        ? EMPTY
        : ofWeighted(sorted[0], sorted[sorted.length - 1], sorted, ones, COMPRESSION);
  }

  /** What is left of a sketch whose digest was not kept: all but the ends at the median. */
  static EventTimeSketch coarse(long count, long min, long median, long max) {
    return count < 3
        ? count == 1 ? of(min) : of(min, max)
        : ofWeighted(
            min, max, new long[] {min, median, max}, new long[] {1, count - 2, 1}, COMPRESSION);
  }

  static EventTimeSketch ofBuckets(long min, long max, BucketCounts.Sorted buckets) {
    long[] centers = new long[buckets.starts().length];
    for (int i = 0; i < centers.length; i++) {
      long center = buckets.starts()[i] + (buckets.width() - 1) / 2;
      centers[i] = Math.max(min, Math.min(max, center));
    }
    return ofWeighted(min, max, centers, buckets.rows(), COMPRESSION);
  }

  /**
   * Merges sketches in one call. The same parts in any order give an equal sketch, byte for byte,
   * because their centroids are sorted by (mean, weight) first; another grouping of the parts may
   * move a quantile within the error stated above, never count, min or max.
   */
  public static EventTimeSketch merge(Collection<EventTimeSketch> parts) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    int size = 0;
    for (EventTimeSketch part : parts) {
      if (part.count > 0) {
        min = Math.min(min, part.min);
        max = Math.max(max, part.max);
        size += part.means.length;
      }
    }
    if (size == 0) {
      return EMPTY;
    }
    long[] means = new long[size];
    long[] weights = new long[size];
    int filled = 0;
    for (EventTimeSketch part : parts) {
      System.arraycopy(part.means, 0, means, filled, part.means.length);
      System.arraycopy(part.weights, 0, weights, filled, part.means.length);
      filled += part.means.length;
    }
    CentroidOrder.sort(means, weights, min, max);
    return ofWeighted(min, max, means, weights, COMPRESSION);
  }

  /** How many records. */
  public long count() {
    return count;
  }

  /** Whether there is no record; then there is no min, max or quantile. */
  public boolean isEmpty() {
    return count == 0;
  }

  /**
   * The earliest event time, exactly.
   *
   * @throws IllegalStateException if empty
   */
  public long minMillis() {
    requireRecords();
    return min;
  }

  /**
   * The latest event time, exactly.
   *
   * @throws IllegalStateException if empty
   */
  public long maxMillis() {
    requireRecords();
    return max;
  }

  /**
   * The time below which this share of the records lies; rounded down, never outside [min, max].
   *
   * @param quantile from 0 (the minimum) to 1 (the maximum)
   * @throws IllegalStateException if empty
   */
  public long quantileMillis(double quantile) {
    requireRecords();
    if (!(quantile >= 0 && quantile <= 1)) {
      throw new IllegalArgumentException(
          "Invalid quantile: " + quantile + " (expected: from 0 to 1)");
    }
    long estimate = min + (long) Math.floor(digest().quantile(quantile));
    return Math.max(min, Math.min(max, estimate));
  }

  /**
   * How many records are earlier than a time: exactly where it is outside (min, max], else the
   * digest's estimate with bounds. The bounds count whole centroids: the two next to the time on
   * either side may hold records of the other side, all but one of theirs, since a mean has a
   * record on either side of it; further ones do not. That allows for centroids that overlap, as
   * those of a digest merged of 64 parts do; one centroid is not enough there. A time inside a
   * bucket, which no granule boundary is, may be off by the bucket's rows more.
   */
  public RowsBelow rowsBelow(long timeMillis) {
    if (count == 0 || timeMillis <= min) {
      return RowsBelow.NONE;
    }
    if (timeMillis > max) {
      return RowsBelow.exactly(count);
    }
    int before = 0;
    long weight = 0;
    while (before < means.length && means[before] < timeMillis) {
      weight += weights[before++];
    }
    long least = weight;
    for (int i = before - 1; i >= Math.max(1, before - SLACK); i--) {
      least -= weights[i] - 1;
    }
    long most = weight;
    for (int i = before; i < Math.min(means.length - 1, before + SLACK); i++) {
      most += weights[i] - 1;
    }
    long estimate = Math.round(count * digest().cdf((double) (timeMillis - min) - 0.5));
    return RowsBelow.between(Math.max(1, least), estimate, Math.min(count - 1, most));
  }

  /** The bytes described above. */
  public byte[] toBytes() {
    ByteWriter out = new ByteWriter().writeByte(VERSION).writeUnsigned(count);
    if (count > 0) {
      out.writeSigned(min).writeUnsigned(max - min).writeUnsigned(means.length);
      long previous = min;
      for (int i = 0; i < means.length; i++) {
        out.writeUnsigned(means[i] - previous).writeUnsigned(weights[i]);
        previous = means[i];
      }
    }
    return out.toByteArray();
  }

  /**
   * Reads the bytes described above.
   *
   * @throws IllegalArgumentException if they are truncated, foreign or of a newer version
   */
  public static EventTimeSketch fromBytes(byte[] bytes) {
    return readFrom(new ByteReader(SUBJECT, bytes));
  }

  private static EventTimeSketch readFrom(ByteReader in) {
    in.readVersion(VERSION);
    long count = in.readUnsigned();
    EventTimeSketch sketch = count == 0 ? EMPTY : readCentroids(in, count);
    in.expectEnd();
    return sketch;
  }

  /**
   * The bytes in URL-safe Base64 without padding, at most {@value #MAX_TEXT_LENGTH} characters: a
   * sketch that does not fit is first compressed further, the least that makes it fit.
   */
  public String toText() {
    return toText(MAX_TEXT_LENGTH).orElseThrow();
  }

  /**
   * The same in at most so many characters.
   *
   * @return empty if not even the coarsest sketch fits
   */
  public Optional<String> toText(int maxLength) {
    for (int compression : TEXT_COMPRESSIONS) {
      EventTimeSketch sketch =
          compression == COMPRESSION ? this : ofWeighted(min, max, means, weights, compression);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(sketch.toBytes());
      if (text.length() <= maxLength) {
        return Optional.of(text);
      }
    }
    return Optional.empty();
  }

  /**
   * Reads {@link #toText()}.
   *
   * @throws IllegalArgumentException if the text is not such a sketch
   */
  public static EventTimeSketch fromText(String text) {
    return readFrom(ByteReader.ofText(SUBJECT, text));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EventTimeSketch that
        && count == that.count
        && min == that.min
        && max == that.max
        && Arrays.equals(means, that.means)
        && Arrays.equals(weights, that.weights);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(count) + Arrays.hashCode(means);
  }

  @Override
  public String toString() {
    return isEmpty()
        ? "EventTimeSketch(empty)"
        : "EventTimeSketch(" + count + " in [" + min + ", " + max + "])";
  }

  /**
   * The digest of weighted times. The library counts on a first and a last centroid of one record
   * each (it asserts so, and its interpolation at the ends relies on it), so the records at min and
   * max go in first and alone, a fraction of a millisecond outside, where no other time sorts.
   */
  private static EventTimeSketch ofWeighted(
      long min, long max, long[] sortedMeans, long[] weights, int compression) {
    MergingDigest digest = new MergingDigest(compression);
    long count = 0;
    for (long weight : weights) {
      count = Math.addExact(count, weight);
    }
    digest.add(-END_SHIFT, 1);
    if (count > 1) {
      digest.add((double) (max - min) + END_SHIFT, 1);
    }
    for (int i = 0; i < sortedMeans.length; i++) {
      long ends = (i == 0 ? 1 : 0) + (count > 1 && i == sortedMeans.length - 1 ? 1 : 0);
      for (long rest = weights[i] - ends; rest > 0; rest -= Integer.MAX_VALUE) {
        digest.add((double) (sortedMeans[i] - min), (int) Math.min(rest, Integer.MAX_VALUE));
      }
    }
    return of(digest, count, min, max);
  }

  private static EventTimeSketch of(MergingDigest digest, long count, long min, long max) {
    Collection<Centroid> centroids = digest.centroids();
    long[] means = new long[centroids.size()];
    long[] weights = new long[centroids.size()];
    int size = 0;
    for (Centroid centroid : centroids) {
      means[size] = min + Math.round(centroid.mean());
      weights[size++] = centroid.count();
    }
    weights[size - 1] += count - Arrays.stream(weights).sum();
    return new EventTimeSketch(count, min, max, means, weights);
  }

  private static EventTimeSketch readCentroids(ByteReader in, long count) {
    long min = in.readSigned();
    long max = min + in.readUnsigned();
    if (count < 0 || max < min) {
      throw in.corrupt("count " + count + " in [" + min + ", " + max + "]");
    }
    int size = in.readCount();
    long[] means = new long[size];
    long[] weights = new long[size];
    long mean = min;
    long sum = 0;
    for (int i = 0; i < size; i++) {
      long distance = in.readUnsigned();
      if (distance < 0 || distance > max - mean) {
        throw in.corrupt("a centroid lies outside [" + min + ", " + max + "]");
      }
      mean += distance;
      means[i] = mean;
      weights[i] = in.readUnsigned();
      if (weights[i] < 1 || weights[i] > count - sum) {
        throw in.corrupt("weight " + weights[i] + " (expected: 1 to " + (count - sum) + ")");
      }
      sum += weights[i];
    }
    if (sum != count) {
      throw in.corrupt("weights sum to " + sum + " (expected: " + count + ")");
    }
    return new EventTimeSketch(count, min, max, means, weights);
  }

  /** The library's digest over these centroids as they stand, with times counted from min. */
  private MergingDigest digest() {
    double compression = Math.max(COMPRESSION, means.length);
    ByteBuffer buffer = ByteBuffer.allocate(32 + 16 * means.length);
    buffer.putInt(TDIGEST_VERBOSE_ENCODING).putDouble(0).putDouble((double) (max - min));
    buffer.putDouble(compression).putInt(means.length);
    for (int i = 0; i < means.length; i++) {
      buffer.putDouble((double) weights[i]).putDouble((double) (means[i] - min));
    }
    return MergingDigest.fromBytes(buffer.flip());
  }

  private void requireRecords() {
    if (count == 0) {
      throw new IllegalStateException("Cannot ask an empty sketch for a time");
    }
  }
}

package dev.tidemark.finalization.coverage;

import org.jspecify.annotations.Nullable;

/**
 * Where a source stands in one of its partitions. What is not known yet is null.
 *
 * @param nextOffset the next offset to read: every smaller one was delivered or skipped
 * @param endOffset the partition's end offset (exclusive) when it was sampled
 * @param sampledAtMillis when the end offset was sampled, before the checkpoint that reports it
 * @param maxEventTimeMillis the highest event time delivered
 * @param promisedMillis what the source has vouched for: every event before it was delivered
 * @param deliveredAtMillis time of the last commit that moved {@code nextOffset}; the engine sets
 *     it
 */
public record PartitionProgress(
    @Nullable Long nextOffset,
    @Nullable Long endOffset,
    @Nullable Long sampledAtMillis,
    @Nullable Long maxEventTimeMillis,
    @Nullable Long promisedMillis,
    @Nullable Long deliveredAtMillis,
    @Nullable Long deliveredCommit) {

  /** A partition of which only its existence is known. */
  public static final PartitionProgress UNKNOWN =
      new PartitionProgress(null, null, null, null, null, null, null);

  /** The position reached, and the highest event time on the way, if any record had one. */
  public static PartitionProgress at(long nextOffset, @Nullable Long maxEventTimeMillis) {
    return new PartitionProgress(nextOffset, null, null, maxEventTimeMillis, null, null, null);
  }

  /** A sample of the end offset. */
  public static PartitionProgress end(long endOffset, long sampledAtMillis) {
    return new PartitionProgress(null, endOffset, sampledAtMillis, null, null, null, null);
  }

  /** The same partition, with a promise made by its source. */
  public PartitionProgress promising(@Nullable Long millis) {
    return new PartitionProgress(
        nextOffset,
        endOffset,
        sampledAtMillis,
        maxEventTimeMillis,
        millis,
        deliveredAtMillis,
        deliveredCommit);
  }

  /** The same partition, with the time of the commit that last moved it. */
  public PartitionProgress delivered(@Nullable Long millis, @Nullable Long commit) {
    return new PartitionProgress(
        nextOffset, endOffset, sampledAtMillis, maxEventTimeMillis, promisedMillis, millis, commit);
  }

  /** What two reports know together: the furthest position, the latest sample. Commutative. */
  public PartitionProgress merge(PartitionProgress other) {
    boolean newerSample = compare(other.sampledAtMillis, sampledAtMillis) > 0;
    boolean sameSample = compare(other.sampledAtMillis, sampledAtMillis) == 0;
    return new PartitionProgress(
        max(nextOffset, other.nextOffset),
        sameSample ? max(endOffset, other.endOffset) : newerSample ? other.endOffset : endOffset,
        max(sampledAtMillis, other.sampledAtMillis),
        max(maxEventTimeMillis, other.maxEventTimeMillis),
        max(promisedMillis, other.promisedMillis),
        max(deliveredAtMillis, other.deliveredAtMillis),
        max(deliveredCommit, other.deliveredCommit));
  }

  /** Whether everything up to the sampled end was read; false while either is unknown. */
  public boolean standsAtEnd() {
    return endOffset != null && (endOffset == 0 || (nextOffset != null && nextOffset >= endOffset));
  }

  /** Offsets between the position and the sampled end; null while either is unknown. */
  public @Nullable Long lag() {
    if (endOffset == null || nextOffset == null) {
      return null;
    }
    return Math.max(0, endOffset - nextOffset);
  }

  private static @Nullable Long max(@Nullable Long a, @Nullable Long b) {
    return compare(a, b) >= 0 ? a : b;
  }

  private static int compare(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? (b == null ? 0 : -1) : 1;
    }
    return Long.compare(a, b);
  }
}

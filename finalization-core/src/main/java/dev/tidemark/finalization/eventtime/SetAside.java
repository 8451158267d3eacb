package dev.tidemark.finalization.eventtime;

import java.util.List;

/**
 * Records that were written but do not count for the watermark, by reason.
 *
 * @param nullCount without an event time
 * @param invalidCount outside the {@link EventTimeBounds}
 * @param invalidMinMillis the earliest invalid time; {@link Long#MAX_VALUE} when there is none
 * @param invalidMaxMillis the latest invalid time; {@link Long#MIN_VALUE} when there is none
 * @param snapshotCount rows of a bootstrap's snapshot
 * @param backfillCount rows loaded on purpose as old
 */
public record SetAside(
    long nullCount,
    long invalidCount,
    long invalidMinMillis,
    long invalidMaxMillis,
    long snapshotCount,
    long backfillCount) {
  /** Nothing was set aside. */
  public static final SetAside NONE = new SetAside(0, 0, Long.MAX_VALUE, Long.MIN_VALUE, 0, 0);

  static SetAside merge(List<SetAside> parts) {
    SetAside sum = NONE;
    for (SetAside part : parts) {
      sum =
          new SetAside(
              sum.nullCount + part.nullCount,
              sum.invalidCount + part.invalidCount,
              Math.min(sum.invalidMinMillis, part.invalidMinMillis),
              Math.max(sum.invalidMaxMillis, part.invalidMaxMillis),
              sum.snapshotCount + part.snapshotCount,
              sum.backfillCount + part.backfillCount);
    }
    return sum;
  }
}

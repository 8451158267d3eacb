package dev.tidemark.finalization.watermark;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The interval of event time that a table holds whole: {@code [from, watermark)}, epoch
 * milliseconds UTC.
 *
 * @param fromMillis inclusive; null before anything was read
 * @param watermarkMillis exclusive; null before the first candidate
 * @param evidence what it rests on
 */
public record FinalizationWatermark(
    @Nullable Long fromMillis, @Nullable Long watermarkMillis, Evidence evidence) {

  /** Whether every event of {@code [start, end)} is in the table. */
  public boolean covers(long startMillis, long endMillis) {
    return fromMillis != null
        && watermarkMillis != null
        && fromMillis <= startMillis
        && endMillis <= watermarkMillis;
  }

  /** {@code [2026-01-01T00:00:00Z, 2026-01-01T10:00:00Z) estimate}; {@code ?} for a missing end. */
  @Override
  public String toString() {
    return "[" + text(fromMillis) + ", " + text(watermarkMillis) + ") " + evidence;
  }

  private static String text(@Nullable Long millis) {
    return millis == null ? "?" : Instant.ofEpochMilli(millis).toString();
  }
}

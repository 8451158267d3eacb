package dev.tidemark.finalization.watermark;

import java.time.Instant;

/** What one commit does to the watermark of its table. */
public sealed interface Decision {

  /**
   * The watermark moves.
   *
   * @param watermarkMillis the new value, exclusive, epoch milliseconds UTC, on a granule boundary
   */
  record Advance(long watermarkMillis) implements Decision {
    @Override
    public String toString() {
      return "advance to " + Instant.ofEpochMilli(watermarkMillis);
    }
  }

  /**
   * The watermark stays.
   *
   * @param hold why
   */
  record Stay(Hold hold) implements Decision {
    @Override
    public String toString() {
      return "hold: " + hold;
    }
  }
}

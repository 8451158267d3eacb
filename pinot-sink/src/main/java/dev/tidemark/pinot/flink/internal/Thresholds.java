package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;
import java.time.Duration;

/**
 * When a buffer is full and becomes a segment, before a commit closes it anyway.
 *
 * @param rows at least 1
 * @param bytes of one buffer, at least 1
 * @param writerBytes of all buffers of one writer: beyond it the largest is closed
 * @param age since its first row, looked at with every checkpoint
 */
public record Thresholds(long rows, long bytes, long writerBytes, Duration age)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public Thresholds {
    if (rows < 1 || rows > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "Invalid rows of a segment: "
              + rows
              + " (expected: from 1 to "
              + Integer.MAX_VALUE
              + ")");
    }
    if (bytes < 1 || writerBytes < bytes) {
      throw new IllegalArgumentException(
          "Invalid buffer size: "
              + bytes
              + " bytes a segment, "
              + writerBytes
              + " a writer (expected: at least 1, and no fewer for a writer than for a segment)");
    }
    if (age.isNegative() || age.isZero()) {
      throw new IllegalArgumentException(
          "Invalid age of a buffer: " + age + " (expected: more than zero)");
    }
  }
}

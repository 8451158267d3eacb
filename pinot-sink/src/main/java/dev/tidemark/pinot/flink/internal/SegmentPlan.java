package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.SegmentTable;
import dev.tidemark.pinot.segment.TarCompression;
import java.io.Serializable;

/**
 * How rows become staged segments.
 *
 * @param table the table
 * @param thresholds when a buffer is full
 * @param builds how many segments one writer builds and stages at a time; each holds a buffer
 * @param staging a directory on a file system that all task managers reach
 * @param form names and bytes
 */
public record SegmentPlan(
    SegmentTable table, Thresholds thresholds, int builds, String staging, Form form)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * @param naming names and creation times
   * @param compression of the tars
   */
  public record Form(SegmentNaming naming, TarCompression compression) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  public SegmentPlan {
    if (builds < 1) {
      throw new IllegalArgumentException(
          "Invalid builds at a time: " + builds + " (expected: at least 1)");
    }
  }
}

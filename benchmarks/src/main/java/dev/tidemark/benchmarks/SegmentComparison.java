package dev.tidemark.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.pinot.common.utils.TarCompressionUtils;
import org.apache.pinot.segment.local.indexsegment.immutable.ImmutableSegmentLoader;
import org.apache.pinot.segment.local.segment.readers.PinotSegmentColumnReader;
import org.apache.pinot.segment.spi.ImmutableSegment;
import org.apache.pinot.spi.utils.ReadMode;

/** Loads two segments as a Pinot server would and compares all of their values. */
final class SegmentComparison {
  private SegmentComparison() {}

  /**
   * @throws IllegalStateException if a value differs
   */
  static void requireEqual(File expectedTar, File actualTar, Path work) throws Exception {
    ImmutableSegment expected = load(expectedTar, work);
    ImmutableSegment actual = load(actualTar, work);
    try {
      for (String column : expected.getPhysicalColumnNames()) {
        requireEqual(expected, actual, column);
      }
    } finally {
      expected.destroy();
      actual.destroy();
    }
  }

  private static ImmutableSegment load(File tar, Path work) throws Exception {
    Path directory = Files.createTempDirectory(work, "loaded-");
    File segment = TarCompressionUtils.untar(tar, directory.toFile()).get(0);
    return ImmutableSegmentLoader.load(segment, ReadMode.mmap);
  }

  private static void requireEqual(
      ImmutableSegment expected, ImmutableSegment actual, String column) throws IOException {
    int rows = expected.getSegmentMetadata().getTotalDocs();
    try (PinotSegmentColumnReader left = new PinotSegmentColumnReader(expected, column);
        PinotSegmentColumnReader right = new PinotSegmentColumnReader(actual, column)) {
      for (int row = 0; row < rows; row++) {
        if (!Objects.equals(left.getValue(row), right.getValue(row))) {
          throw new IllegalStateException(
              "Invalid value in column %s, row %d: %s (expected: %s)"
                  .formatted(column, row, right.getValue(row), left.getValue(row)));
        }
      }
    }
  }
}

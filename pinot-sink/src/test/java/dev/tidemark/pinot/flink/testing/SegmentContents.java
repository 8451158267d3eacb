package dev.tidemark.pinot.flink.testing;

import dev.tidemark.pinot.flink.internal.FlinkStagedFiles;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.common.utils.TarCompressionUtils;
import org.apache.pinot.segment.local.segment.readers.PinotSegmentRecordReader;
import org.apache.pinot.spi.data.readers.GenericRow;

/** Reads the rows of a staged segment with Pinot's own reader. */
final class SegmentContents {
  private SegmentContents() {}

  static List<GenericRow> rows(StagedSegment segment) throws Exception {
    Path directory = Files.createTempDirectory("tidemark-segment");
    try (InputStream in = new FlinkStagedFiles().open(segment.files().tarUri())) {
      List<File> files = TarCompressionUtils.untar(in, directory.toFile());
      return read(files.get(0));
    } finally {
      FileUtils.deleteQuietly(directory.toFile());
    }
  }

  private static List<GenericRow> read(File segment) throws Exception {
    List<GenericRow> rows = new ArrayList<>();
    try (PinotSegmentRecordReader reader = new PinotSegmentRecordReader()) {
      reader.init(segment, null, null);
      while (reader.hasNext()) {
        rows.add(reader.next());
      }
    } catch (IOException e) {
      throw new IOException("Cannot read " + segment, e);
    }
    return rows;
  }
}

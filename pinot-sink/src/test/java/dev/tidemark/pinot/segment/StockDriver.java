package dev.tidemark.pinot.segment;

import java.io.DataInputStream;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentIndexCreationDriverImpl;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.store.SegmentDirectoryPaths;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.data.readers.RecordReader;
import org.apache.pinot.spi.data.readers.RecordReaderConfig;
import org.jspecify.annotations.Nullable;

/** Pinot's own way from rows to a segment, two passes with all transforms: what ours must equal. */
final class StockDriver {
  private StockDriver() {}

  record Stock(File directory, long crc) {}

  static Stock build(SegmentTable table, List<GenericRow> rows, SegmentIdentity identity, Path work)
      throws Exception {
    SegmentGeneratorConfig config = new SegmentGeneratorConfig(table.tableConfig(), table.schema());
    config.setSegmentName(identity.name());
    config.setCreationTime(Long.toString(identity.creationTimeMillis()));
    config.setOutDir(work.toString());
    config.setCustomProperties(
        identity.customProperties().entrySet().stream()
            .collect(Collectors.toMap(e -> "custom." + e.getKey(), Map.Entry::getValue)));
    SegmentIndexCreationDriverImpl driver = new SegmentIndexCreationDriverImpl();
    driver.init(config, new Rows(rows));
    driver.build();
    File directory = driver.getOutputDirectory();
    File meta = new File(SegmentDirectoryPaths.findSegmentDirectory(directory), "creation.meta");
    try (DataInputStream in = new DataInputStream(Files.newInputStream(meta.toPath()))) {
      return new Stock(directory, in.readLong());
    }
  }

  private static final class Rows implements RecordReader {
    private final List<GenericRow> rows;
    private int next;

    Rows(List<GenericRow> rows) {
      this.rows = rows;
    }

    @Override
    public void init(
        File file, @Nullable Set<String> fields, @Nullable RecordReaderConfig config) {}

    @Override
    public boolean hasNext() {
      return next < rows.size();
    }

    @Override
    public GenericRow next(GenericRow reuse) {
      reuse.init(rows.get(next++));
      return reuse;
    }

    @Override
    public void rewind() {
      next = 0;
    }

    @Override
    public void close() {}
  }
}

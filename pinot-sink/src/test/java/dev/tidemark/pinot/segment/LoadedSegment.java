package dev.tidemark.pinot.segment;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.common.utils.TarCompressionUtils;
import org.apache.pinot.segment.local.indexsegment.immutable.ImmutableSegmentLoader;
import org.apache.pinot.segment.local.segment.readers.PinotSegmentColumnReader;
import org.apache.pinot.segment.spi.ImmutableSegment;
import org.apache.pinot.segment.spi.SegmentMetadata;
import org.apache.pinot.segment.spi.index.reader.NullValueVectorReader;
import org.apache.pinot.spi.utils.ReadMode;
import org.jspecify.annotations.Nullable;

/** A built segment as a Pinot server would load it: untarred, mapped, read value by value. */
final class LoadedSegment implements AutoCloseable {
  private final Path directory;
  private final ImmutableSegment segment;

  private LoadedSegment(Path directory, ImmutableSegment segment) {
    this.directory = directory;
    this.segment = segment;
  }

  static LoadedSegment of(BuiltSegment built) throws Exception {
    Path directory = Files.createTempDirectory("loaded-");
    List<File> files = TarCompressionUtils.untar(built.tar().toFile(), directory.toFile());
    return new LoadedSegment(directory, ImmutableSegmentLoader.load(files.get(0), ReadMode.mmap));
  }

  static LoadedSegment ofDirectory(File segment) throws Exception {
    return new LoadedSegment(segment.toPath(), ImmutableSegmentLoader.load(segment, ReadMode.mmap));
  }

  SegmentMetadata metadata() {
    return segment.getSegmentMetadata();
  }

  ImmutableSegment segment() {
    return segment;
  }

  int rows() {
    return segment.getSegmentMetadata().getTotalDocs();
  }

  /** Stored values of a column, nulls as their default values; several values as lists. */
  List<Object> stored(String column) throws IOException {
    List<Object> values = new ArrayList<>();
    try (PinotSegmentColumnReader reader = new PinotSegmentColumnReader(segment, column)) {
      for (int row = 0; row < rows(); row++) {
        values.add(comparable(reader.getValue(row)));
      }
    }
    return values;
  }

  /** Values of a column, null where the null vector says so. */
  List<@Nullable Object> values(String column) throws IOException {
    List<@Nullable Object> values = new ArrayList<>(stored(column));
    NullValueVectorReader nulls = segment.getDataSource(column).getNullValueVector();
    for (int row = 0; nulls != null && row < rows(); row++) {
      if (nulls.isNull(row)) {
        values.set(row, null);
      }
    }
    return values;
  }

  /** Values of all columns by name, null where the null vector says so. */
  Map<String, List<@Nullable Object>> allValues() throws IOException {
    Map<String, List<@Nullable Object>> all = new TreeMap<>();
    for (String column : segment.getPhysicalColumnNames()) {
      all.put(column, values(column));
    }
    return all;
  }

  /** Lines of {@code metadata.properties}, as a text. */
  String properties() throws IOException {
    Path file =
        segment
            .getSegmentMetadata()
            .getIndexDir()
            .toPath()
            .resolve("v3")
            .resolve("metadata.properties");
    return Files.readString(file);
  }

  static Object comparable(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Object[] several) {
      List<Object> list = new ArrayList<>();
      for (Object each : several) {
        list.add(comparable(each));
      }
      return list;
    }
    return value;
  }

  @Override
  public void close() {
    segment.destroy();
    FileUtils.deleteQuietly(directory.toFile());
  }
}

package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.segment.SegmentTable.Prepared;
import dev.tidemark.pinot.segment.StagedSegment.Times;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.segment.spi.V1Constants;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.store.SegmentDirectoryPaths;
import org.jspecify.annotations.Nullable;

/**
 * Builds segments and their tars on the local disk. The same rows and the same identity give the
 * same CRC. Immutable; used by any number of threads, each with rows of its own.
 */
public final class SegmentBuilder {
  private final TarCompression compression;

  /**
   * @param compression of the tar of the whole segment; that of the metadata is always gzip
   */
  public SegmentBuilder(TarCompression compression) {
    this.compression = Objects.requireNonNull(compression, "compression is null");
  }

  /** A builder that compresses with Zstandard. */
  public SegmentBuilder() {
    this(TarCompression.ZSTD);
  }

  /**
   * Builds one segment. Changes nothing about the rows, and leaves nothing but the two tars behind.
   *
   * @param workDirectory an existing directory, for the tars and, while it works, for the segment
   * @throws IllegalArgumentException if there are no rows
   * @throws IOException if the segment cannot be built
   */
  public BuiltSegment build(SegmentRows rows, SegmentIdentity identity, Path workDirectory)
      throws IOException {
    if (rows.rows() == 0) {
      throw new IllegalArgumentException(
          "Cannot build segment " + identity.name() + ": it has no rows");
    }
    Path scratch = Files.createTempDirectory(workDirectory, "build-");
    Path tar = workDirectory.resolve(identity.name() + compression.extension());
    Path metadataTar =
        workDirectory.resolve(identity.name() + ".metadata" + TarCompression.GZIP.extension());
    try {
      Path directory = scratch.resolve(identity.name());
      create(rows, identity, directory.toFile());
      File content = SegmentDirectoryPaths.findSegmentDirectory(directory.toFile());
      SegmentTar packed = new SegmentTar(directory, identity.creationTimeMillis());
      packed.writeAll(tar, compression);
      packed.writeMetadata(content.toPath(), metadataTar);
      return new BuiltSegment(
          identity.name(),
          crc(content),
          rows.rows(),
          tar,
          metadataTar,
          Files.size(tar),
          rows.times());
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(tar);
      Files.deleteIfExists(metadataTar);
      throw e;
    } finally {
      FileUtils.deleteQuietly(scratch.toFile());
    }
  }

  private static void create(SegmentRows rows, SegmentIdentity identity, File directory)
      throws IOException {
    SegmentGeneratorConfig config = config(rows, identity);
    try (ColumnarCreator creator = new ColumnarCreator(rows, config)) {
      creator.create(directory);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("Cannot build segment " + identity.name(), e);
    }
  }

  private static SegmentGeneratorConfig config(SegmentRows rows, SegmentIdentity identity) {
    Prepared table = rows.table().prepare();
    SegmentGeneratorConfig config = new SegmentGeneratorConfig(table.config(), table.schema());
    config.setSegmentName(identity.name());
    config.setCreationTime(Long.toString(identity.creationTimeMillis()));
    config.setCustomProperties(custom(identity.customProperties()));
    setTimes(config, rows.timeColumn(), rows.times());
    return config;
  }

  private static void setTimes(
      SegmentGeneratorConfig config, @Nullable TimeColumn column, @Nullable Times times) {
    if (column != null && times != null && column.isTextOrder()) {
      config.setStartTime(Long.toString(times.minMillis()));
      config.setEndTime(Long.toString(times.maxMillis()));
      config.setSegmentTimeUnit(TimeUnit.MILLISECONDS);
    }
  }

  private static Map<String, String> custom(Map<String, String> properties) {
    return properties.entrySet().stream()
        .collect(
            Collectors.toMap(
                entry -> V1Constants.MetadataKeys.Segment.CUSTOM_SUBSET + "." + entry.getKey(),
                entry -> escaped(entry.getValue())));
  }

  /** Without it Pinot takes a comma for the end of the value. */
  private static String escaped(String value) {
    return value.replace(",", "\\,");
  }

  private static long crc(File content) throws IOException {
    Path file = content.toPath().resolve(V1Constants.SEGMENT_CREATION_META);
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      return in.readLong();
    }
  }
}

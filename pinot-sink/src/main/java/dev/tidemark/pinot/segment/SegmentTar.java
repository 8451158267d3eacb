package dev.tidemark.pinot.segment;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.pinot.segment.spi.V1Constants;

/**
 * Packs a segment's directory. Entries come in the order of their names and bear the segment's
 * creation time and no owner, so that equal segments give equal tars.
 */
final class SegmentTar {
  private static final int BUFFER_BYTES = 1 << 17;

  private final Path directory;
  private final long modifiedMillis;

  SegmentTar(Path directory, long modifiedMillis) {
    this.directory = directory;
    this.modifiedMillis = modifiedMillis;
  }

  /** Packs the directory itself, under its own name. */
  void writeAll(Path tar, TarCompression compression) throws IOException {
    try (TarArchiveOutputStream out = open(tar, compression)) {
      String root = name(directory);
      for (Path path : tree()) {
        String below = directory.relativize(path).toString();
        add(out, path, below.isEmpty() ? root : root + "/" + below);
      }
      out.finish();
    }
  }

  /** Packs what a METADATA push needs, found in this directory of the segment. */
  void writeMetadata(Path content, Path tar) throws IOException {
    try (TarArchiveOutputStream out = open(tar, TarCompression.GZIP)) {
      for (String file :
          List.of(V1Constants.MetadataKeys.METADATA_FILE_NAME, V1Constants.SEGMENT_CREATION_META)) {
        add(out, content.resolve(file), file);
      }
      out.finish();
    }
  }

  private List<Path> tree() throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      List<Path> sorted = new ArrayList<>(paths.toList());
      Collections.sort(sorted);
      return sorted;
    }
  }

  private void add(TarArchiveOutputStream out, Path path, String name) throws IOException {
    boolean isDirectory = Files.isDirectory(path);
    TarArchiveEntry entry = new TarArchiveEntry(isDirectory ? name + "/" : name);
    entry.setModTime(modifiedMillis);
    entry.setIds(0, 0);
    if (!isDirectory) {
      entry.setSize(Files.size(path));
    }
    out.putArchiveEntry(entry);
    if (!isDirectory) {
      Files.copy(path, out);
    }
    out.closeArchiveEntry();
  }

  private static TarArchiveOutputStream open(Path tar, TarCompression compression)
      throws IOException {
    OutputStream file = new BufferedOutputStream(Files.newOutputStream(tar), BUFFER_BYTES);
    TarArchiveOutputStream out = new TarArchiveOutputStream(compression.compress(file));
    out.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
    out.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    return out;
  }

  private static String name(Path path) {
    Path name = path.getFileName();
    if (name == null) {
      throw new IllegalArgumentException("Invalid directory: " + path + " (expected: a name)");
    }
    return name.toString();
  }
}

package dev.tidemark.pinot.controller;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;

/**
 * The one file of a batch upload: the metadata files of all segments, each with the segment's name
 * before its own, and a list of names and places.
 */
final class BatchTar {
  private static final String LIST = "all_segments_metadata";

  private BatchTar() {}

  static byte[] of(List<SegmentUpload> segments) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    StringBuilder list = new StringBuilder();
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(new GzipCompressorOutputStream(bytes))) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      for (SegmentUpload segment : segments) {
        copyMetadata(segment, tar);
        list.append(segment.name()).append('\n').append(segment.tarUri()).append('\n');
      }
      put(tar, LIST, list.toString().getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  private static void copyMetadata(SegmentUpload segment, TarArchiveOutputStream out)
      throws IOException {
    int files = 0;
    try (InputStream in = segment.metadata().open();
        TarArchiveInputStream tar = new TarArchiveInputStream(new GZIPInputStream(in))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (!entry.isDirectory()) {
          String path = entry.getName();
          put(
              out,
              segment.name() + "." + path.substring(path.lastIndexOf('/') + 1),
              tar.readAllBytes());
          files++;
        }
      }
    }
    if (files < 2) {
      throw new IOException(
          "Invalid metadata of segment "
              + segment.name()
              + ": "
              + files
              + " files (expected: metadata.properties and creation.meta)");
    }
  }

  private static void put(TarArchiveOutputStream tar, String name, byte[] content)
      throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setSize(content.length);
    tar.putArchiveEntry(entry);
    tar.write(content);
    tar.closeArchiveEntry();
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.BuiltSegment;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * Where one attempt of one writer leaves its segments until they are published. No two attempts
 * share a directory, so that a slow one cannot write into the files of its successor.
 */
final class StagingArea {
  private final Path directory;

  private StagingArea(Path directory) {
    this.directory = directory;
  }

  /** The directory {@code staging/run/epoch/subtask-attempt}. */
  static StagingArea of(String staging, Run run, int subtask, int attempt) {
    return new StagingArea(
        new Path(
            new Path(staging),
            run.id() + "/" + run.restoreEpoch() + "/" + subtask + "-" + attempt));
  }

  /** Copies the files of a built segment there. */
  StagedSegment.Files stage(BuiltSegment segment) throws IOException {
    return new StagedSegment.Files(
        copy(segment.tar()), copy(segment.metadataTar()), segment.tarBytes());
  }

  private String copy(java.nio.file.Path local) throws IOException {
    Path target = new Path(directory, local.getFileName().toString());
    FileSystem fileSystem = target.getFileSystem();
    fileSystem.mkdirs(directory);
    try (OutputStream out = fileSystem.create(target, FileSystem.WriteMode.OVERWRITE)) {
      Files.copy(local, out);
    }
    return target.makeQualified(fileSystem).toUri().toString();
  }
}

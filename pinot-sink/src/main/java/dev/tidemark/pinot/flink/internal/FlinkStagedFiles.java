package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.StagedFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/** Staged files on any file system that Flink knows. */
public final class FlinkStagedFiles implements StagedFiles {
  @Override
  public InputStream open(String uri) throws IOException {
    Path path = new Path(URI.create(uri));
    FileSystem fileSystem = path.getFileSystem();
    if (!fileSystem.exists(path)) {
      throw new FileNotFoundException("Missing staged file: " + uri);
    }
    return fileSystem.open(path);
  }

  @Override
  public void delete(String uri) throws IOException {
    Path path = new Path(URI.create(uri));
    FileSystem fileSystem = path.getFileSystem();
    if (fileSystem.exists(path)) {
      fileSystem.delete(path, false);
    }
  }
}

package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.segment.StagedFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Staged files on the local disk, by file URIs. */
final class LocalFiles implements StagedFiles {
  @Override
  public InputStream open(String uri) throws IOException {
    try {
      return Files.newInputStream(Path.of(URI.create(uri)));
    } catch (NoSuchFileException e) {
      throw new FileNotFoundException(uri);
    }
  }

  @Override
  public void delete(String uri) throws IOException {
    Files.deleteIfExists(Path.of(URI.create(uri)));
  }
}

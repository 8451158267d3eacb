package dev.tidemark.pinot.segment;

import java.io.IOException;
import java.io.InputStream;

/** Reads and removes what was staged, on whatever file system it lies. */
public interface StagedFiles {
  /**
   * Opens a staged file.
   *
   * @throws java.io.FileNotFoundException if it is not there
   */
  InputStream open(String uri) throws IOException;

  /** Removes a staged file; does nothing if it is not there. */
  void delete(String uri) throws IOException;
}

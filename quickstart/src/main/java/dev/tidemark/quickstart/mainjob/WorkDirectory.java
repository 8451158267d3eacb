package dev.tidemark.quickstart.mainjob;

import dev.tidemark.quickstart.embedded.FileTrees;
import java.io.IOException;
import java.nio.file.Path;

/** The program's own files, removed at its end, also after Ctrl-C. */
final class WorkDirectory {
  private WorkDirectory() {}

  static Path create() throws IOException {
    Path directory = FileTrees.createTemporary("main-job");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
    return directory;
  }

  static void delete(Path directory) {
    try {
      FileTrees.delete(directory);
    } catch (IOException e) {
      System.err.println("Cannot delete " + directory + ": " + e.getMessage());
    }
  }
}

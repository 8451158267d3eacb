package dev.tidemark.quickstart.mainjob;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The program's own files, removed at its end, also after Ctrl-C. */
final class WorkDirectory {
  private WorkDirectory() {}

  static Path create() throws IOException {
    Path directory = Files.createTempDirectory("tidemark-main-job");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
    return directory;
  }

  static void delete(Path directory) {
    List<Path> files = List.of();
    try (Stream<Path> found = Files.walk(directory)) {
      files = found.sorted(Comparator.reverseOrder()).toList();
    } catch (IOException e) {
      // Gone already.
    }
    for (Path file : files) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        System.err.println("Cannot delete " + file + ": " + e.getMessage());
      }
    }
  }
}

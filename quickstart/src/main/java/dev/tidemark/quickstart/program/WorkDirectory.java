package dev.tidemark.quickstart.program;

import dev.tidemark.quickstart.embedded.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The program's own files, removed at its end, also after Ctrl-C. */
public final class WorkDirectory {
  private static final int ATTEMPTS = 20;
  private static final long PAUSE_MILLIS = 100;

  private WorkDirectory() {}

  public static Path create(String program) throws IOException {
    Path directory = FileTrees.createTemporary(program);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteUnderWriters(directory)));
    return directory;
  }

  /** After Ctrl-C the job still writes while the JVM ends, so the files are looked for again. */
  private static void deleteUnderWriters(Path directory) {
    for (int attempt = 0; attempt < ATTEMPTS && Files.exists(directory); attempt++) {
      try {
        FileTrees.delete(directory);
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      } catch (IOException e) {
        // A file came while its directory was being removed: again.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  public static void delete(Path directory) {
    try {
      FileTrees.delete(directory);
    } catch (IOException e) {
      System.err.println("Cannot delete " + directory + ": " + e.getMessage());
    }
  }
}

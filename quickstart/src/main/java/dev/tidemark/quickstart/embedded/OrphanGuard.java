package dev.tidemark.quickstart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * A tiny shell process that outlives this JVM by a moment. It waits for the end of its standard
 * input, which comes when the JVM dies in whatever way (also by {@code kill -9}, when no shutdown
 * hook runs); then it kills every server that has its data in the guarded directory and removes the
 * directory. It ignores Ctrl-C, which a terminal sends to all processes of a program.
 */
final class OrphanGuard implements AutoCloseable {
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      read -r line
      for process in /proc/[0-9]*; do
        tr '\\0' ' ' < "$process/cmdline" | grep -qF -- "--datadir=$1/" && kill -9 "${process#/proc/}"
      done
      rm -rf -- "$1"
      """;

  private final Process shell;

  private OrphanGuard(Process shell) {
    this.shell = shell;
  }

  static OrphanGuard over(Path directory) {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", SCRIPT, "guard", directory.toString());
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      return new OrphanGuard(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot guard " + directory + ": /bin/sh did not start", e);
    }
  }

  /**
   * Ends the guard without letting it act: whoever closes it has cleaned up, or keeps the
   * directory.
   */
  @Override
  public void close() {
    shell.destroyForcibly().onExit().join();
  }
}

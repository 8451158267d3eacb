package dev.tidemark.quickstart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * A tiny shell process that outlives this JVM by a moment. It waits for the end of its standard
 * input, which comes when the JVM dies in whatever way (also by {@code kill -9}, when no shutdown
 * hook runs); then it kills the server and removes its directory. It ignores Ctrl-C, which a
 * terminal sends to all processes of the program.
 */
final class OrphanGuard implements AutoCloseable {
  // The directory must be in the server's command line: a process id alone may belong to somebody
  // else by then.
  private static final String SCRIPT =
      "trap '' INT TERM HUP; read -r line;"
          + " tr '\\0' ' ' < /proc/$1/cmdline | grep -qF -- \"$2\" && kill -9 $1; rm -rf -- \"$2\"";

  private final Process shell;

  private OrphanGuard(Process shell) {
    this.shell = shell;
  }

  static OrphanGuard over(long serverPid, Path directory) {
    ProcessBuilder builder =
        new ProcessBuilder(
            "/bin/sh", "-c", SCRIPT, "guard", Long.toString(serverPid), directory.toString());
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      return new OrphanGuard(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot start the guard of process " + serverPid + ": /bin/sh did not start", e);
    }
  }

  /** Ends the guard without letting it act: the server must be gone already. */
  @Override
  public void close() {
    shell.destroyForcibly().onExit().join();
  }
}

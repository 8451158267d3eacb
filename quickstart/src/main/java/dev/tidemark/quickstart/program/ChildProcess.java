package dev.tidemark.quickstart.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A program in a process of its own. What it prints is passed on line by line as it comes, what it
 * complains of goes to a file, and it does not outlive this JVM. To be used by one thread.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int SCREEN_LINES = 20;
  private static final int SCREEN_COLUMNS = 300;
  private static final Duration REST_OF_OUTPUT = Duration.ofSeconds(10);

  private final String name;
  private final Process process;
  private final Path complaints;
  private final Thread killer;
  private final CompletableFuture<Void> reading;
  private volatile @Nullable String lastLine;

  private ChildProcess(String name, Process process, Path complaints, Consumer<String> output) {
    this.name = name;
    this.process = process;
    this.complaints = complaints;
    this.killer = new Thread(() -> kill(process));
    this.reading = CompletableFuture.runAsync(() -> read(output), ChildProcess::startDaemon);
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Starts a program.
   *
   * @param name for people
   * @param command the program and its arguments
   * @param complaints the file for what it writes to its standard error
   * @param output gets each line that it prints, in a thread of its own
   */
  public static ChildProcess start(
      String name, List<String> command, Path complaints, Consumer<String> output)
      throws IOException {
    Process process = new ProcessBuilder(command).redirectError(complaints.toFile()).start();
    return new ChildProcess(name, process, complaints, output);
  }

  /**
   * Waits until it has ended, and all that it printed was passed on.
   *
   * @param limit how long to wait at most; then it is killed
   * @throws IllegalStateException if it does not end by itself within the limit, or fails; the
   *     message has the last line that it printed and the end of its complaints
   */
  public void awaitSuccess(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      kill(process);
      process.waitFor();
      awaitOutput();
      throw new IllegalStateException(
          "Cannot wait any longer for %s: it still ran after %s (expected: to end by itself) and was killed. %s"
              .formatted(name, limit, lastWords()));
    }
    awaitOutput();
    if (process.exitValue() != 0) {
      throw new IllegalStateException(
          "Failed: %s ended with exit status %d (expected: 0). %s"
              .formatted(name, process.exitValue(), lastWords()));
    }
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    kill(process);
    Runtime.getRuntime().removeShutdownHook(killer);
  }

  /** Through handles, because killing by the process itself also closes what it printed last. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.toHandle().destroyForcibly();
  }

  private void read(Consumer<String> output) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        lastLine = line;
        output.accept(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read what " + name + " prints", e);
    }
  }

  /** It ends with the process, unless somebody else inherited the process's output. */
  private void awaitOutput() throws InterruptedException {
    try {
      reading.get(REST_OF_OUTPUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "Cannot read all that %s printed. %s".formatted(name, lastWords()), e);
    }
  }

  private String lastWords() {
    String printed = lastLine;
    List<String> complained = tailOfComplaints();
    return (printed == null ? "It printed nothing" : "It printed last: " + printed)
        + (complained.isEmpty()
            ? "\nIt complained of nothing"
            : "\nIt complained at last:\n" + String.join("\n", complained));
  }

  /** As much as fits on a screen; of stack traces the messages alone. */
  private List<String> tailOfComplaints() {
    List<String> lines;
    try {
      lines = Files.readAllLines(complaints).stream().filter(line -> !isFrame(line)).toList();
    } catch (IOException e) {
      lines = List.of("(Cannot read " + complaints + ": " + e + ")");
    }
    return lines.subList(Math.max(0, lines.size() - SCREEN_LINES), lines.size()).stream()
        .map(line -> line.substring(0, Math.min(line.length(), SCREEN_COLUMNS)))
        .toList();
  }

  private static boolean isFrame(String line) {
    return line.startsWith("\t") || line.isBlank();
  }

  private static void startDaemon(Runnable task) {
    Thread thread = new Thread(task, "output of a child process");
    thread.setDaemon(true);
    thread.start();
  }
}

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
 *
 * <p>Where whoever gets the lines throws, the rest is read and dropped, so that the program never
 * waits for a reader; that is told when it has ended.
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
  private final Duration restOfOutput;
  private volatile @Nullable String lastLine;

  private ChildProcess(
      String name,
      Process process,
      Path complaints,
      Consumer<String> output,
      Duration restOfOutput) {
    this.name = name;
    this.process = process;
    this.complaints = complaints;
    this.restOfOutput = restOfOutput;
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
    return start(name, command, complaints, output, REST_OF_OUTPUT);
  }

  /**
   * The same.
   *
   * @param restOfOutput how long the output may stay open once the program has ended
   */
  static ChildProcess start(
      String name,
      List<String> command,
      Path complaints,
      Consumer<String> output,
      Duration restOfOutput)
      throws IOException {
    Process process = new ProcessBuilder(command).redirectError(complaints.toFile()).start();
    return new ChildProcess(name, process, complaints, output, restOfOutput);
  }

  /**
   * Waits until it has ended, and all that it printed was passed on.
   *
   * @param limit how long to wait at most; then it is killed
   * @throws IllegalStateException if it does not end by itself within the limit, or fails; the
   *     message has the last line that it printed and the end of its complaints. Also if not all
   *     that it printed could be passed on; why is the cause, here as above
   */
  public void awaitSuccess(Duration limit) throws InterruptedException {
    boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      kill(process);
      process.waitFor();
    }
    Throwable unread = awaitOutput();
    if (!ended) {
      throw new IllegalStateException(
          "Cannot wait any longer for %s: it still ran after %s (expected: to end by itself) and was killed. %s"
              .formatted(name, limit, lastWords()),
          unread);
    }
    if (process.exitValue() != 0) {
      throw new IllegalStateException(
          "Failed: %s ended with exit status %d (expected: 0). %s"
              .formatted(name, process.exitValue(), lastWords()),
          unread);
    }
    if (unread != null) {
      throw new IllegalStateException(
          "Cannot pass on all that %s printed: %s. It ended well. %s"
              .formatted(name, unread.getMessage(), lastWords()),
          unread);
    }
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    kill(process);
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook finds nothing left to do.
    }
  }

  /** Through handles, because killing by the process itself also closes what it printed last. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.toHandle().destroyForcibly();
  }

  private void read(Consumer<String> output) {
    RuntimeException refusal = null;
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        lastLine = line;
        refusal = refusal == null ? pass(line, output) : refusal;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read what " + name + " prints", e);
    }
    if (refusal != null) {
      throw refusal;
    }
  }

  private static @Nullable RuntimeException pass(String line, Consumer<String> output) {
    try {
      output.accept(line);
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  /**
   * Waits for the end of its output, which is the process's, unless somebody else inherited it.
   *
   * @return why not all was passed on; null if all was
   */
  private @Nullable Throwable awaitOutput() throws InterruptedException {
    try {
      reading.get(restOfOutput.toMillis(), TimeUnit.MILLISECONDS);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException e) {
      return new IllegalStateException(
          "its output is still open %s after its end (expected: closed; another process holds it)"
              .formatted(restOfOutput),
          e);
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

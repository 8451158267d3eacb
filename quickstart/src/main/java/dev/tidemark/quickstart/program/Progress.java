package dev.tidemark.quickstart.program;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Lines of progress with the time since the start. Safe for several threads. */
public final class Progress {
  private final long startNanos = System.nanoTime();
  private final Consumer<String> output;

  /**
   * @param output gets each line, never two at a time
   */
  public Progress(Consumer<String> output) {
    this.output = output;
  }

  /** A line with the time before it. */
  public synchronized void say(String line) {
    double seconds = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 1000.0;
    output.accept(String.format(Locale.ROOT, "%6.1f s  %s", seconds, line));
  }

  /** An empty line, and then these as they are. */
  public synchronized void show(List<String> lines) {
    output.accept("");
    lines.forEach(output);
  }
}

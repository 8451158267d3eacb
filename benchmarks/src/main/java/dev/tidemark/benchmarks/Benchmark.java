package dev.tidemark.benchmarks;

import java.io.PrintStream;
import java.util.List;

/** One measured claim. Registered under its name in {@link Benchmarks}. */
public interface Benchmark {
  /** What is measured, in one line. */
  String summary();

  /** What the figure must keep. */
  Target target();

  /**
   * Measures, printing how and with what spread. Checks what it measures: a figure of wrong results
   * is none.
   *
   * @param arguments what stood after the name on the command line
   * @return the figure, its value in the unit of the target
   * @throws IllegalArgumentException for an argument that is not understood
   * @throws IllegalStateException if what was measured is not correct
   */
  Figure measure(List<String> arguments, PrintStream out) throws Exception;
}

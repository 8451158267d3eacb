package dev.tidemark.spark;

import dev.tidemark.spark.source.Discretion;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Why something failed, for people; drivers quote addresses, so no text here holds their logins.
 */
final class Failures {
  private Failures() {}

  /**
   * The first line of each message down to the last cause, without what was said already: Spark
   * wraps what matters, so each cause has a line.
   */
  static String text(Throwable failure) {
    List<String> lines = new ArrayList<>();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String line = firstLine(cause);
      if (lines.stream().noneMatch(said -> said.contains(line))) {
        lines.add(line);
      }
    }
    return Discretion.message(String.join("\n  because: ", lines));
  }

  /** All of it, for whoever looks for the place. */
  static String stackTrace(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    return Discretion.message(trace.toString());
  }

  /** Messages of errors are the name of a class at best, and say little without their own. */
  private static String firstLine(Throwable cause) {
    String message = String.valueOf(cause.getMessage()).strip();
    if (message.isEmpty() || cause.getMessage() == null) {
      return cause.getClass().getName();
    }
    String line = message.lines().findFirst().orElseThrow();
    return cause instanceof Error ? cause.getClass().getSimpleName() + ": " + line : line;
  }
}

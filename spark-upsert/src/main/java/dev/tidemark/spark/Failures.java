package dev.tidemark.spark;

import dev.tidemark.spark.source.Discretion;
import java.util.ArrayList;
import java.util.List;

/** Why something failed, for people: Spark wraps what matters, so each cause has a line. */
final class Failures {
  private Failures() {}

  /** The first line of each message down to the last cause, without what was said already. */
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

  private static String firstLine(Throwable cause) {
    String message = String.valueOf(cause.getMessage()).strip();
    return message.isEmpty() || cause.getMessage() == null
        ? cause.getClass().getName()
        : message.lines().findFirst().orElseThrow();
  }
}

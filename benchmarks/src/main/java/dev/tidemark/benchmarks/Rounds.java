package dev.tidemark.benchmarks;

import java.util.List;

/** How many rounds a run has. */
final class Rounds {
  private Rounds() {}

  /** The first argument, if there is one, else the default. */
  static int of(List<String> arguments, int defaultRounds) {
    if (arguments.isEmpty()) {
      return defaultRounds;
    }
    String text = arguments.get(0);
    if (arguments.size() > 1 || !text.matches("[1-9]\\d{0,5}")) {
      throw new IllegalArgumentException(
          "Invalid arguments: " + arguments + " (expected: the number of rounds, such as 40)");
    }
    return Integer.parseInt(text);
  }
}

package dev.tidemark.benchmarks;

import java.util.List;

/**
 * What a benchmark measured.
 *
 * @param value compared with the limit of the target
 * @param misses what else of the claim was not kept, a sentence each; with one of them the target
 *     is missed whatever the value
 */
public record Figure(double value, List<String> misses) {
  public Figure {
    misses = List.copyOf(misses);
  }

  /** A figure that says all. */
  public static Figure of(double value) {
    return new Figure(value, List.of());
  }

  /** Whether the target is met, and nothing else was missed. */
  boolean meets(Target target) {
    return misses.isEmpty() && target.isMetBy(value);
  }
}

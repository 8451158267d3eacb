package dev.tidemark.benchmarks;

import java.util.Arrays;

/**
 * How figures spread.
 *
 * @param figures how many there are
 */
public record Spread(
    int figures,
    double min,
    double lowerQuartile,
    double median,
    double upperQuartile,
    double max) {

  /** The spread of these values, in any order; at least one. */
  public static Spread of(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    return new Spread(
        sorted.length,
        sorted[0],
        sorted[last / 4],
        sorted[last / 2],
        sorted[last - last / 4],
        sorted[last]);
  }

  /** {@code median 14.2, quartiles 14.0 to 14.6, min 13.9, max 17.3 of 40}. */
  @Override
  public String toString() {
    return "median "
        + Target.text(median)
        + ", quartiles "
        + Target.text(lowerQuartile)
        + " to "
        + Target.text(upperQuartile)
        + ", min "
        + Target.text(min)
        + ", max "
        + Target.text(max)
        + " of "
        + figures;
  }
}

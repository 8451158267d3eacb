package dev.tidemark.benchmarks;

import java.util.Locale;

/**
 * An upper limit that a figure must keep.
 *
 * @param limit inclusive
 * @param unit of the limit and of the figure
 */
public record Target(double limit, String unit) {
  /** Whether this figure keeps the limit. */
  public boolean isMetBy(double figure) {
    return figure <= limit;
  }

  /** The line that ends a run: {@code accumulator: 14.2 ns/record (target <= 25)}. */
  public String verdict(String name, double figure) {
    return name + ": " + text(figure) + " " + unit + " (target " + this + ")";
  }

  /** A figure with at most three digits behind the point, as many as its size deserves. */
  static String text(double figure) {
    if (figure == Math.rint(figure)) {
      return String.format(Locale.ROOT, "%.0f", figure);
    }
    return String.format(Locale.ROOT, figure < 10 ? "%.2f" : "%.1f", figure);
  }

  @Override
  public String toString() {
    return "<= " + text(limit);
  }
}

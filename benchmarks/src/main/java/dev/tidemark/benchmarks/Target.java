package dev.tidemark.benchmarks;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * A limit that a figure must keep.
 *
 * @param bound on which side of the limit the figure must be
 * @param limit inclusive
 * @param unit of the limit and of the figure
 */
public record Target(Bound bound, double limit, String unit) {

  /** The side of a limit. */
  public enum Bound {
    /** The figure may not be greater. */
    AT_MOST("<="),
    /** The figure may not be less. */
    AT_LEAST(">=");

    private final String sign;

    Bound(String sign) {
      this.sign = sign;
    }
  }

  /** An upper limit. */
  public static Target atMost(double limit, String unit) {
    return new Target(Bound.AT_MOST, limit, unit);
  }

  /** A lower limit. */
  public static Target atLeast(double limit, String unit) {
    return new Target(Bound.AT_LEAST, limit, unit);
  }

  /** Whether this figure keeps the limit. */
  public boolean isMetBy(double figure) {
    return bound == Bound.AT_MOST ? figure <= limit : figure >= limit;
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
    double size = Math.abs(figure);
    return String.format(Locale.ROOT, size < 2 ? "%.3f" : size < 10 ? "%.2f" : "%.1f", figure);
  }

  @Override
  public String toString() {
    return bound.sign + " " + BigDecimal.valueOf(limit).stripTrailingZeros().toPlainString();
  }
}

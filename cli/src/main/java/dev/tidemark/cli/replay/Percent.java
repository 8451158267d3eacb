package dev.tidemark.cli.replay;

import java.util.Locale;

/** Shares as people write them. */
public final class Percent {
  private Percent() {}

  /** {@code 1.25 %}; four decimals below a tenth of a percent, {@code 0 %} for none. */
  public static String of(double share) {
    double percent = share * 100;
    if (percent == 0) {
      return "0 %";
    }
    return percent < 0.1
        ? String.format(Locale.ROOT, "%.4f %%", percent)
        : String.format(Locale.ROOT, "%.2f %%", percent);
  }

  /**
   * Reads {@code 0.01%} or {@code 0.0001}.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static double parse(String text) {
    String number = text.trim();
    boolean percent = number.endsWith("%");
    try {
      return percent
          ? Double.parseDouble(number.substring(0, number.length() - 1).trim()) / 100
          : Double.parseDouble(number);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Invalid share: \"" + text + "\" (expected: a percentage such as 0.01%)", e);
    }
  }
}

package dev.tidemark.cli.explain;

import java.util.List;

/** A hold names the first four by name, then {@code +n}: an explanation lists the worst of all. */
final class Abridged {
  /** How many an explanation lists. */
  static final int MOST = 10;

  private Abridged() {}

  /** Whether a hold names not all that it is about. */
  static boolean isAbridged(List<String> names) {
    return !names.isEmpty() && last(names).startsWith("+");
  }

  /** How many a hold is about. */
  static long count(List<String> names) {
    return isAbridged(names)
        ? names.size() - 1 + Long.parseLong(last(names).substring(1))
        : names.size();
  }

  /** Which of them are listed. */
  static String listed(long listed, long all) {
    return listed < all ? "the worst " + listed + " are listed" : "the worst first";
  }

  private static String last(List<String> names) {
    return names.get(names.size() - 1);
  }
}

package dev.tidemark.finalization.late;

import java.util.ArrayList;
import java.util.List;

/**
 * The text form of values per granule: comma-separated {@code start:value}, where the first start
 * is in epoch seconds and each other one the distance in seconds to the start before it; a leading
 * {@code +n} stands for n rows of older granules. {@code +3,979142400:7,3600:5}.
 *
 * @param items ascending by start
 * @param older rows of older granules
 */
record SecondsList(List<Item> items, long older) {

  /**
   * One granule.
   *
   * @param startMillis epoch milliseconds, whole seconds
   * @param value its text
   */
  record Item(long startMillis, String value) {}

  static String write(List<Item> items, long older) {
    List<String> parts = new ArrayList<>();
    if (older > 0) {
      parts.add("+" + older);
    }
    long previous = 0;
    for (Item item : items) {
      long seconds = Math.floorDiv(item.startMillis(), 1000L);
      parts.add((seconds - previous) + ":" + item.value());
      previous = seconds;
    }
    return String.join(",", parts);
  }

  static SecondsList read(String text) {
    List<Item> items = new ArrayList<>();
    long older = 0;
    long seconds = 0;
    for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int colon = part.indexOf(':');
      if (part.startsWith("+")) {
        older = number(text, part.substring(1));
      } else if (colon > 0) {
        seconds += number(text, part.substring(0, colon));
        items.add(new Item(seconds * 1000L, part.substring(colon + 1)));
      } else {
        throw invalid(text);
      }
    }
    return new SecondsList(items, older);
  }

  static long number(String text, String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(invalid(text).getMessage(), e);
    }
  }

  static IllegalArgumentException invalid(String text) {
    return new IllegalArgumentException(
        "Invalid list of granules: " + text + " (expected: such as 979142400:7,3600:5)");
  }
}

package dev.tidemark.pinot.flink;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Values of key columns, read as what a {@link KeySerializer} expects. */
final class Keys {
  private Keys() {}

  static @Nullable Object single(List<?> key) {
    if (key.size() != 1) {
      throw invalid(key, "one value; a composite key needs KeySerializer.composite or joined");
    }
    return key.get(0);
  }

  static String text(@Nullable Object value) {
    if (value == null || value instanceof byte[]) {
      throw invalid(Arrays.asList(value), "text or a number");
    }
    return value.toString();
  }

  static long number(@Nullable Object value) {
    if (value instanceof Long || value instanceof Integer || value instanceof Short) {
      return ((Number) value).longValue();
    }
    throw invalid(Arrays.asList(value), "an integer");
  }

  static IllegalArgumentException invalid(List<?> key, String expected) {
    return new IllegalArgumentException(
        "Cannot serialize key " + describe(key) + " (expected: " + expected + ")");
  }

  private static String describe(List<?> key) {
    return key.stream()
        .map(value -> value == null ? "null" : value + " of " + value.getClass().getSimpleName())
        .collect(Collectors.joining(", ", "[", "]"));
  }
}

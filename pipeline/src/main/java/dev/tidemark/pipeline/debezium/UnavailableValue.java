package dev.tidemark.pipeline.debezium;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows Debezium's {@code unavailable.value.placeholder} in the shapes it takes: text, base64 in a
 * binary column, an array of the text or of its bytes as numbers, a map from the text to itself.
 */
final class UnavailableValue {
  static final String DEFAULT_PLACEHOLDER = "__debezium_unavailable_value";

  private final String text;
  private final String base64;
  private final List<Object> array;
  private final List<Object> numbers;
  private final Map<String, Object> map;

  UnavailableValue(String placeholder) {
    byte[] utf8 = placeholder.getBytes(StandardCharsets.UTF_8);
    this.text = placeholder;
    this.base64 = Base64.getEncoder().encodeToString(utf8);
    this.array = List.of(placeholder);
    this.numbers = new ArrayList<>();
    for (byte b : utf8) {
      numbers.add((long) b);
    }
    this.map = Map.of(placeholder, placeholder);
  }

  boolean is(@Nullable Object json) {
    if (json instanceof String string) {
      return string.equals(text) || string.equals(base64);
    } else if (json instanceof List) {
      return json.equals(array) || json.equals(numbers);
    }
    return json instanceof Map && json.equals(map);
  }
}

package dev.tidemark.spark;

import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** {@code --name value} options, each at most once. */
final class Arguments {
  private final Map<String, String> options = new LinkedHashMap<>();
  private final Set<String> asked = new TreeSet<>();

  Arguments(List<String> words) {
    for (int i = 0; i < words.size(); i += 2) {
      boolean isPair = words.get(i).startsWith("--") && i + 1 < words.size();
      if (!isPair || options.put(words.get(i).substring(2), words.get(i + 1)) != null) {
        throw new IllegalArgumentException(
            "Invalid argument: " + words.get(i) + " (expected: --name value, each once)");
      }
    }
  }

  String required(String name) {
    String value = optional(name);
    if (value == null) {
      throw new IllegalArgumentException("Missing argument: --" + name);
    }
    return value;
  }

  @Nullable String optional(String name) {
    asked.add(name);
    return options.get(name);
  }

  String optional(String name, String otherwise) {
    String value = optional(name);
    return value == null ? otherwise : value;
  }

  /** One of several words; the first where the option is not given. */
  String oneOf(String name, String first, String... others) {
    List<String> words = new ArrayList<>(List.of(first));
    words.addAll(List.of(others));
    String value = optional(name, first);
    if (!words.contains(value)) {
      throw new IllegalArgumentException(
          "Invalid argument: --" + name + " " + value + " (expected: one of " + words + ")");
    }
    return value;
  }

  TableName table(String name) {
    return TableName.parse(required(name));
  }

  List<TableName> tables(String name) {
    return list(required(name)).stream().map(TableName::parse).toList();
  }

  /** A comma-separated list; empty for an empty text. */
  static List<String> list(String text) {
    List<String> items = new ArrayList<>(List.of(text.split(",")));
    items.removeIf(String::isBlank);
    return items;
  }

  /**
   * To be called once everything was asked for.
   *
   * @throws IllegalArgumentException if an option was given that nobody asked for
   */
  void expectNoMore() {
    for (String given : options.keySet()) {
      if (!asked.contains(given)) {
        throw new IllegalArgumentException(
            "Invalid argument: --" + given + " (expected: of " + asked + ")");
      }
    }
  }
}

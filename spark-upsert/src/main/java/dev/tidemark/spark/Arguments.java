package dev.tidemark.spark;

import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code --name value} options, each at most once. Whatever is wrong with them is a {@link
 * UsageException}.
 */
final class Arguments {
  private final Map<String, String> options = new LinkedHashMap<>();
  private final Set<String> asked = new TreeSet<>();

  Arguments(List<String> words) {
    for (int i = 0; i < words.size(); i += 2) {
      boolean isPair = words.get(i).startsWith("--") && i + 1 < words.size();
      if (!isPair || options.put(words.get(i).substring(2), words.get(i + 1)) != null) {
        throw new UsageException(
            "Invalid argument: " + words.get(i) + " (expected: --name value, each once)");
      }
    }
  }

  String required(String name) {
    String value = optional(name);
    if (value == null) {
      throw new UsageException("Missing argument: --" + name);
    }
    return value;
  }

  @Nullable String optional(String name) {
    asked.add(name);
    return options.get(name);
  }

  /**
   * A value that is read by a function which throws where it cannot.
   *
   * @param expected what the function takes, for the message
   */
  <T> T required(String name, String expected, Function<String, T> reader) {
    return read(name, required(name), expected, reader);
  }

  /** The same; null if the option was not given. */
  <T> @Nullable T optional(String name, String expected, Function<String, T> reader) {
    String value = optional(name);
    return value == null ? null : read(name, value, expected, reader);
  }

  /** The same with a value for an option that was not given. */
  <T> T optional(String name, T otherwise, String expected, Function<String, T> reader) {
    String value = optional(name);
    return value == null ? otherwise : read(name, value, expected, reader);
  }

  /** A whole number. */
  int number(String name, int otherwise, int least) {
    return optional(
        name,
        otherwise,
        "a whole number, >= " + least,
        text -> {
          int number = Integer.parseInt(text);
          if (number < least) {
            throw new IllegalArgumentException(text);
          }
          return number;
        });
  }

  TableName table(String name) {
    return required(name, "catalog.namespace.table", TableName::parse);
  }

  @Nullable TableName optionalTable(String name) {
    return optional(name, "catalog.namespace.table", TableName::parse);
  }

  List<TableName> tables(String name) {
    return required(
        name,
        "catalog.namespace.table, with commas between several",
        text -> list(text).stream().map(TableName::parse).toList());
  }

  /** Comma-separated names; none if the option was not given. */
  List<String> names(String name) {
    String text = optional(name);
    return text == null ? List.of() : list(text);
  }

  /** The names between commas. */
  static List<String> list(String text) {
    List<String> items = new ArrayList<>(List.of(text.split(",")));
    items.removeIf(String::isBlank);
    return items;
  }

  private static <T> T read(
      String name, String value, String expected, Function<String, T> reader) {
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException | java.time.DateTimeException | ArithmeticException e) {
      throw new UsageException(
          "Invalid argument: --%s %s (expected: %s)".formatted(name, value, expected), e);
    }
  }

  /**
   * To be called once everything was asked for.
   *
   * @throws UsageException if an option was given that nobody asked for
   */
  void expectNoMore() {
    for (String given : options.keySet()) {
      if (!asked.contains(given)) {
        throw new UsageException("Invalid argument: --" + given + " (expected: of " + asked + ")");
      }
    }
  }
}

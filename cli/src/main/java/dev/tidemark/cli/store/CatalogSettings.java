package dev.tidemark.cli.store;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configured catalogs: {@code catalog.NAME.KEY=VALUE}. For {@code type=pinot} the keys are
 * those of {@link PinotStore}; any other catalog takes Iceberg's usual catalog properties. {@code
 * ${env:NAME}} in a value is the environment's. Immutable; {@code toString} shows no value.
 *
 * @param catalogs properties by catalog
 */
public record CatalogSettings(SortedMap<String, SortedMap<String, String>> catalogs) {
  private static final String PREFIX = "catalog.";
  private static final Pattern KEY = Pattern.compile("(?:catalog\\.)?([^.=]+)\\.(.+)");
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{env:([A-Za-z_][A-Za-z0-9_]*)}");

  public CatalogSettings {
    SortedMap<String, SortedMap<String, String>> copy = new TreeMap<>();
    catalogs.forEach(
        (name, properties) ->
            copy.put(name, Collections.unmodifiableSortedMap(new TreeMap<>(properties))));
    catalogs = Collections.unmodifiableSortedMap(copy);
  }

  /**
   * Reads a file and what the command line says besides, which wins.
   *
   * @param file null for none
   * @param more {@code NAME.KEY} to value
   * @param environment gives the value of a variable, or null
   * @throws IllegalArgumentException if the file cannot be read, a key is not understood, or a
   *     variable is not set
   */
  public static CatalogSettings read(
      @Nullable Path file, Map<String, String> more, Environment environment) {
    SortedMap<String, SortedMap<String, String>> catalogs = new TreeMap<>();
    if (file != null) {
      Properties properties = load(file);
      properties
          .stringPropertyNames()
          .forEach(
              key -> {
                if (key.startsWith(PREFIX)) {
                  put(catalogs, key, properties.getProperty(key), environment);
                }
              });
    }
    more.forEach((key, value) -> put(catalogs, key, value, environment));
    return new CatalogSettings(catalogs);
  }

  /** The variables of a process. */
  @FunctionalInterface
  public interface Environment {
    /** The value of a variable; null if it is not set. */
    @Nullable String get(String name);
  }

  /**
   * The properties of one catalog.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public SortedMap<String, String> of(String catalog) {
    SortedMap<String, String> properties = catalogs.get(catalog);
    if (properties == null) {
      throw new IllegalArgumentException(
          "Unknown catalog: \""
              + catalog
              + "\" (expected: one of "
              + catalogs.keySet()
              + "). Set it with -c "
              + catalog
              + ".type=… and its other properties, or in the file of --config.");
    }
    return properties;
  }

  private static Properties load(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
      return properties;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Cannot read " + file + " (expected: a readable properties file)", e);
    }
  }

  private static void put(
      SortedMap<String, SortedMap<String, String>> catalogs,
      String key,
      String value,
      Environment environment) {
    Matcher matcher = KEY.matcher(key);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "Invalid catalog property: \"" + key + "\" (expected: NAME.KEY, such as lake.type)");
    }
    catalogs
        .computeIfAbsent(matcher.group(1), name -> new TreeMap<>())
        .put(matcher.group(2), resolved(key, environment).apply(value));
  }

  private static UnaryOperator<String> resolved(String key, Environment environment) {
    return value ->
        REFERENCE
            .matcher(value)
            .replaceAll(
                match -> {
                  String variable = match.group(1);
                  String text = environment.get(variable);
                  if (text == null) {
                    throw new IllegalArgumentException(
                        "Cannot set " + key + ": variable " + variable + " is not set");
                  }
                  return Matcher.quoteReplacement(text);
                });
  }

  @Override
  public String toString() {
    return "catalogs " + catalogs.keySet();
  }
}

package dev.tidemark.finalization.flink.sql;

import java.time.DateTimeException;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * Reads typed table options, and says of each that cannot be read what was expected.
 *
 * @param options of the table, hints included
 */
public record OptionReader(ReadableConfig options) {

  /**
   * The value of an option, or its default.
   *
   * @throws ValidationException if it cannot be read
   */
  public <T, R> R value(ConfigOption<T> option, String expected, Function<T, R> meaning) {
    try {
      return meaning.apply(options.get(option));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new ValidationException(
          "Invalid table option '%s' = '%s' (expected: %s)"
              .formatted(option.key(), text(option), expected),
          e);
    }
  }

  /**
   * The value of an option; empty if it is not given.
   *
   * @throws ValidationException if it cannot be read
   */
  public <T, R> Optional<R> optional(
      ConfigOption<T> option, String expected, Function<T, R> meaning) {
    return isGiven(option) ? Optional.of(value(option, expected, meaning)) : Optional.empty();
  }

  /**
   * The value of an option that finalization needs.
   *
   * @throws ValidationException if it is not given, or cannot be read
   */
  <T, R> R required(ConfigOption<T> option, String expected, Function<T, R> meaning) {
    return optional(option, expected, meaning)
        .orElseThrow(
            () ->
                new ValidationException(
                    "Cannot finalize without '%s' (expected: %s; or none of the options %s*). Give it in a hint: /*+ OPTIONS('%s' = '…') */"
                        .formatted(
                            option.key(), expected, FinalizationOptions.PREFIX, option.key())));
  }

  /** Whether an option is given. */
  public boolean isGiven(ConfigOption<?> option) {
    return text(option) != null;
  }

  /** As it was written, also where it cannot be read. */
  private String text(ConfigOption<?> option) {
    return options.get(ConfigOptions.key(option.key()).stringType().noDefaultValue());
  }
}

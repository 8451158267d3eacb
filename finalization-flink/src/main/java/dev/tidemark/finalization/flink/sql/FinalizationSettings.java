package dev.tidemark.finalization.flink.sql;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * What the options of a table, and the hints of an INSERT, say of finalization.
 *
 * @param config how facts become an opinion
 * @param eventTime which columns hold the event time and the role of a row
 * @param inputIsComplete whether the end of the input completes the last granule
 */
public record FinalizationSettings(
    FinalizationConfig config, EventTime eventTime, boolean inputIsComplete) {

  /**
   * The columns by their names.
   *
   * @param column holds the event time
   * @param unit of a number or text; null for a timestamp
   * @param snapshotColumn true in rows of a bootstrap; null for none
   * @param backfillColumn true in rows that are old on purpose; null for none
   */
  public record EventTime(
      String column,
      @Nullable EventTimeUnit unit,
      @Nullable String snapshotColumn,
      @Nullable String backfillColumn) {

    /**
     * What these columns mean to a sink.
     *
     * @throws ValidationException with the reason if the sink refuses them with an {@link
     *     IllegalArgumentException}
     */
    public <R> R as(Function<EventTime, R> meaning) {
      try {
        return meaning.apply(this);
      } catch (IllegalArgumentException e) {
        throw new ValidationException(
            "Invalid table option '%s' = '%s': %s (expected: a timestamp column, or a BIGINT or STRING column with its unit)"
                .formatted(FinalizationOptions.EVENT_TIME_COLUMN.key(), column, e.getMessage()),
            e);
      }
    }
  }

  /**
   * Reads the options of {@link FinalizationOptions}; empty if there are none.
   *
   * @throws ValidationException if one cannot be read, is missing, or contradicts another
   */
  public static Optional<FinalizationSettings> read(ReadableConfig options) {
    OptionReader reader = new OptionReader(options);
    return FinalizationOptions.ALL.stream().anyMatch(reader::isGiven)
        ? Optional.of(read(reader))
        : Optional.empty();
  }

  /** Reads the options, which are there. */
  public static FinalizationSettings read(OptionReader reader) {
    return new FinalizationSettings(
        config(reader),
        eventTime(reader),
        reader.value(FinalizationOptions.INPUT_IS_COMPLETE, "true or false", Function.identity()));
  }

  private static FinalizationConfig config(OptionReader reader) {
    FinalizationConfig.Builder config =
        reader.required(
            FinalizationOptions.WRITER,
            "a name of 1 to 64 letters, digits, dots, dashes and underscores",
            FinalizationConfig::forWriter);
    config
        .policy(policy(reader))
        .granularity(
            reader.value(
                FinalizationOptions.GRANULARITY,
                "a duration that divides a day, such as PT1H, or P1D@Asia/Seoul",
                Granularity::parse))
        .lookback(
            reader.value(
                FinalizationOptions.LOOKBACK_COMMITS,
                "a whole number of at least 1",
                FinalizationSettings::atLeastOne),
            reader.value(
                FinalizationOptions.LOOKBACK_SPAN,
                "a duration of zero or more, such as 30 min or PT30M",
                Function.identity()));
    reader
        .optional(
            FinalizationOptions.READ_FROM,
            "beginning, or an instant such as 2026-01-01T00:00:00Z",
            text -> text.equals("beginning") ? Instant.EPOCH : Instant.parse(text))
        .ifPresent(config::readFrom);
    return config.build();
  }

  private static FinalizationPolicy policy(OptionReader reader) {
    FinalizationPolicy policy =
        reader.value(
            FinalizationOptions.POLICY,
            "min, quantile:Q with Q from 0 to 0.5, or bounded-lateness:PT10M",
            FinalizationPolicy::parse);
    if (policy instanceof FinalizationPolicy.SourcePromise) {
      throw new ValidationException(
          "Cannot use '%s' = '%s' in SQL: it needs coverage, and no SQL source reports where it stands (expected: min, quantile:Q or bounded-lateness:D). For promises use the coverage of the DataStream API."
              .formatted(FinalizationOptions.POLICY.key(), policy));
    }
    return policy;
  }

  private static EventTime eventTime(OptionReader reader) {
    String expected = "a BOOLEAN column's name";
    return new EventTime(
        reader.required(
            FinalizationOptions.EVENT_TIME_COLUMN, "a column's name", Function.identity()),
        reader
            .optional(
                FinalizationOptions.EVENT_TIME_UNIT,
                "one of seconds, millis, micros, nanos, tso, iso-8601",
                EventTimeUnit::named)
            .orElse(null),
        reader
            .optional(FinalizationOptions.SNAPSHOT_COLUMN, expected, Function.identity())
            .orElse(null),
        reader
            .optional(FinalizationOptions.BACKFILL_COLUMN, expected, Function.identity())
            .orElse(null));
  }

  private static int atLeastOne(int number) {
    if (number < 1) {
      throw new IllegalArgumentException(number + " is less than 1");
    }
    return number;
  }
}

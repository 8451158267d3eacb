package dev.tidemark.pinot.flink.sql;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * What the options of a table say of finalization.
 *
 * @param config how facts become an opinion
 * @param eventTime reads the event time
 * @param inputIsComplete whether the end of the input completes the last granule
 */
record FinalizationSettings(
    FinalizationConfig config, EventTimeExtractor<RowData> eventTime, boolean inputIsComplete) {

  /**
   * Reads the options; empty if there are none.
   *
   * @throws ValidationException if one cannot be read or contradicts another
   */
  static Optional<FinalizationSettings> read(ReadableConfig options, RowType rows) {
    boolean any =
        PinotFinalizationOptions.ALL.stream()
            .anyMatch(option -> options.getOptional(option).isPresent());
    return any ? Optional.of(new Reader(options).settings(rows)) : Optional.empty();
  }

  void configure(PinotSinkBuilder<RowData> sink) {
    sink.eventTime(eventTime).finalization(config);
    if (inputIsComplete) {
      sink.inputIsComplete();
    }
  }

  /** Reads typed options, and says of each that cannot be read what was expected. */
  private record Reader(ReadableConfig options) {
    FinalizationSettings settings(RowType rows) {
      return new FinalizationSettings(
          config(), eventTime(rows), options.get(PinotFinalizationOptions.INPUT_IS_COMPLETE));
    }

    private FinalizationConfig config() {
      FinalizationConfig.Builder config =
          required(
              PinotFinalizationOptions.WRITER,
              "a name of 1 to 64 letters, digits, dots, dashes and underscores",
              FinalizationConfig::forWriter);
      config
          .policy(policy())
          .granularity(
              value(
                  PinotFinalizationOptions.GRANULARITY,
                  "a duration that divides a day, such as PT1H, or P1D@Asia/Seoul",
                  Granularity::parse));
      value(
          PinotFinalizationOptions.LOOKBACK_COMMITS,
          "at least 1, beside a span of zero or more",
          commits -> config.lookback(commits, options.get(PinotFinalizationOptions.LOOKBACK_SPAN)));
      optional(
              PinotFinalizationOptions.READ_FROM,
              "beginning, or an instant such as 2026-01-01T00:00:00Z",
              text -> text.equals("beginning") ? Instant.EPOCH : Instant.parse(text))
          .ifPresent(config::readFrom);
      return config.build();
    }

    private FinalizationPolicy policy() {
      FinalizationPolicy policy =
          value(
              PinotFinalizationOptions.POLICY,
              "min, quantile:Q with Q from 0 to 0.5, or bounded-lateness:PT10M",
              FinalizationPolicy::parse);
      if (policy instanceof FinalizationPolicy.SourcePromise) {
        throw new ValidationException(
            "Cannot use '%s' = '%s' in SQL: it needs coverage, and no SQL source reports where it stands (expected: min, quantile:Q or bounded-lateness:D)"
                .formatted(PinotFinalizationOptions.POLICY.key(), policy));
      }
      return policy;
    }

    private EventTimeExtractor<RowData> eventTime(RowType rows) {
      EventTimeUnit unit =
          optional(
                  PinotFinalizationOptions.EVENT_TIME_UNIT,
                  "one of seconds, millis, micros, nanos, tso, iso-8601",
                  EventTimeUnit::named)
              .orElse(null);
      String snapshot = options.getOptional(PinotFinalizationOptions.SNAPSHOT_COLUMN).orElse(null);
      String backfill = options.getOptional(PinotFinalizationOptions.BACKFILL_COLUMN).orElse(null);
      return required(
          PinotFinalizationOptions.EVENT_TIME_COLUMN,
          "a timestamp column, or a BIGINT or STRING column with its unit",
          name -> EventTimeField.of(rows, name, unit, EventTimeRoles.of(rows, snapshot, backfill)));
    }

    private <T, R> R value(ConfigOption<T> option, String expected, Function<T, R> meaning) {
      T value = options.get(option);
      try {
        return meaning.apply(value);
      } catch (IllegalArgumentException | DateTimeException e) {
        throw new ValidationException(
            "Invalid table option '%s' = '%s': %s (expected: %s)"
                .formatted(option.key(), value, e.getMessage(), expected),
            e);
      }
    }

    private <T, R> Optional<R> optional(
        ConfigOption<T> option, String expected, Function<T, R> meaning) {
      return options.getOptional(option).isPresent()
          ? Optional.of(value(option, expected, meaning))
          : Optional.empty();
    }

    private <T, R> R required(ConfigOption<T> option, String expected, Function<T, R> meaning) {
      return optional(option, expected, meaning)
          .orElseThrow(
              () ->
                  new ValidationException(
                      "Cannot finalize without '%s' (expected: %s; or none of the options %s*)"
                          .formatted(option.key(), expected, PinotFinalizationOptions.PREFIX)));
    }
  }
}

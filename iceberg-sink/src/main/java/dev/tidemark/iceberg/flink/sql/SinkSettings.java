package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.iceberg.commit.MirrorMode;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;

/**
 * What the options of a table, and the hints of an INSERT, say of finalization.
 *
 * @param finalization how facts become an opinion
 * @param eventTime the column of the event time
 * @param mirrorMode when the mirror is written
 * @param inputIsComplete whether the end of the input completes the last granule
 */
record SinkSettings(
    FinalizationConfig finalization,
    EventTimeColumn eventTime,
    MirrorMode mirrorMode,
    boolean inputIsComplete) {

  /**
   * Reads the options of {@link TidemarkSinkOptions}; empty if there are none.
   *
   * @throws ValidationException if one is unknown, cannot be read, or contradicts another
   */
  static Optional<SinkSettings> read(Map<String, String> tableOptions) {
    Map<String, String> own = new TreeMap<>(tableOptions);
    own.keySet().removeIf(key -> !key.startsWith(TidemarkSinkOptions.PREFIX));
    if (own.isEmpty()) {
      return Optional.empty();
    }
    checkKnown(own);
    Reader reader = new Reader(own);
    return Optional.of(
        new SinkSettings(
            finalization(reader),
            eventTime(reader),
            reader.value(
                TidemarkSinkOptions.MIRROR_MODE, "same_commit or post_commit", Function.identity()),
            reader.value(
                TidemarkSinkOptions.INPUT_IS_COMPLETE, "true or false", Function.identity())));
  }

  /** Passes the settings on. */
  void configure(TidemarkIcebergSink sink) {
    sink.eventTime(eventTime).finalization(finalization).mirrorMode(mirrorMode);
    if (inputIsComplete) {
      sink.inputIsComplete();
    }
  }

  private static void checkKnown(Map<String, String> own) {
    SortedSet<String> known = new TreeSet<>();
    TidemarkSinkOptions.ALL.forEach(option -> known.add(option.key()));
    own.forEach(
        (key, value) -> {
          if (!known.contains(key)) {
            throw new ValidationException(
                "Unknown table option '%s' = '%s' (expected: one of %s)"
                    .formatted(key, value, String.join(", ", known)));
          }
        });
  }

  private static FinalizationConfig finalization(Reader reader) {
    FinalizationConfig.Builder config =
        reader.required(
            TidemarkSinkOptions.WRITER,
            "a name of 1 to 64 letters, digits, dots, dashes and underscores",
            FinalizationConfig::forWriter);
    config
        .policy(policy(reader))
        .granularity(
            reader.value(
                TidemarkSinkOptions.GRANULARITY,
                "a duration that divides a day, such as PT1H, or P1D@Asia/Seoul",
                Granularity::parse))
        .lookback(
            reader.value(
                TidemarkSinkOptions.LOOKBACK_COMMITS,
                "a whole number of at least 1",
                SinkSettings::atLeastOne),
            reader.value(
                TidemarkSinkOptions.LOOKBACK_SPAN,
                "a duration of zero or more, such as 30 min or PT30M",
                Function.identity()));
    reader
        .optional(
            TidemarkSinkOptions.READ_FROM,
            "beginning, or an instant such as 2026-01-01T00:00:00Z",
            text -> text.equals("beginning") ? Instant.EPOCH : Instant.parse(text))
        .ifPresent(config::readFrom);
    return config.build();
  }

  private static FinalizationPolicy policy(Reader reader) {
    FinalizationPolicy policy =
        reader.value(
            TidemarkSinkOptions.POLICY,
            "min, quantile:Q with Q from 0 to 0.5, or bounded-lateness:PT10M",
            FinalizationPolicy::parse);
    if (policy instanceof FinalizationPolicy.SourcePromise) {
      throw new ValidationException(
          "Cannot use '%s' = '%s' in SQL: it needs coverage, and no SQL source reports where it stands (expected: min, quantile:Q or bounded-lateness:D). For promises use TidemarkIcebergSink.coverage of the DataStream API."
              .formatted(TidemarkSinkOptions.POLICY.key(), policy));
    }
    return policy;
  }

  private static EventTimeColumn eventTime(Reader reader) {
    String name =
        reader.required(
            TidemarkSinkOptions.EVENT_TIME_COLUMN, "a column's name", Function.identity());
    EventTimeColumn column =
        reader
            .optional(
                TidemarkSinkOptions.EVENT_TIME_UNIT,
                "one of seconds, millis, micros, nanos, tso, iso-8601",
                EventTimeUnit::named)
            .map(unit -> EventTimeColumn.of(name, unit))
            .orElseGet(() -> EventTimeColumn.timestamp(name));
    String expected = "a BOOLEAN column's name";
    Optional<String> snapshot =
        reader.optional(TidemarkSinkOptions.SNAPSHOT_COLUMN, expected, Function.identity());
    Optional<String> backfill =
        reader.optional(TidemarkSinkOptions.BACKFILL_COLUMN, expected, Function.identity());
    column = snapshot.map(column::withSnapshotColumn).orElse(column);
    return backfill.map(column::withBackfillColumn).orElse(column);
  }

  private static int atLeastOne(int number) {
    if (number < 1) {
      throw new IllegalArgumentException(number + " is less than 1");
    }
    return number;
  }

  /** Reads typed options, and says of each that cannot be read what was expected. */
  private record Reader(Map<String, String> texts, Configuration config) {
    Reader(Map<String, String> texts) {
      this(texts, Configuration.fromMap(texts));
    }

    <T, R> R value(ConfigOption<T> option, String expected, Function<T, R> meaning) {
      try {
        return meaning.apply(config.get(option));
      } catch (IllegalArgumentException | DateTimeException e) {
        throw new ValidationException(
            "Invalid table option '%s' = '%s' (expected: %s)"
                .formatted(option.key(), texts.get(option.key()), expected),
            e);
      }
    }

    <T, R> Optional<R> optional(ConfigOption<T> option, String expected, Function<T, R> meaning) {
      return texts.containsKey(option.key())
          ? Optional.of(value(option, expected, meaning))
          : Optional.empty();
    }

    <T, R> R required(ConfigOption<T> option, String expected, Function<T, R> meaning) {
      if (!texts.containsKey(option.key())) {
        throw new ValidationException(
            "Cannot finalize without '%s': the table options and hints of finalization are %s (expected: also '%s', %s). Give it in a hint, /*+ OPTIONS('%s' = '…') */, or to write without finalization, use a catalog of type iceberg."
                .formatted(option.key(), texts, option.key(), expected, option.key()));
      }
      return value(option, expected, meaning);
    }
  }
}

package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.finalization.flink.sql.FinalizationOptions;
import dev.tidemark.finalization.flink.sql.FinalizationSettings;
import dev.tidemark.finalization.flink.sql.OptionReader;
import dev.tidemark.iceberg.commit.MirrorMode;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;

/**
 * What the options of a table, and the hints of an INSERT, say of finalization.
 *
 * @param finalization what they say for tables of every store
 * @param mirrorMode when the mirror is written
 */
record SinkSettings(FinalizationSettings finalization, MirrorMode mirrorMode) {

  /**
   * Reads the options of {@link TidemarkSinkOptions}; empty if there are none.
   *
   * @throws ValidationException if one is unknown, cannot be read, or contradicts another
   */
  static Optional<SinkSettings> read(Map<String, String> tableOptions) {
    Map<String, String> own = new TreeMap<>(tableOptions);
    own.keySet().removeIf(key -> !key.startsWith(FinalizationOptions.PREFIX));
    if (own.isEmpty()) {
      return Optional.empty();
    }
    checkKnown(own);
    OptionReader reader = new OptionReader(Configuration.fromMap(own));
    return Optional.of(
        new SinkSettings(
            FinalizationSettings.read(reader),
            reader.value(
                TidemarkSinkOptions.MIRROR_MODE,
                "same_commit or post_commit",
                Function.identity())));
  }

  /** Passes the settings on. */
  void configure(TidemarkIcebergSink sink) {
    sink.eventTime(eventTime()).finalization(finalization.config()).mirrorMode(mirrorMode);
    if (finalization.inputIsComplete()) {
      sink.inputIsComplete();
    }
  }

  /** The column of the event time. */
  EventTimeColumn eventTime() {
    return finalization
        .eventTime()
        .as(
            time ->
                new EventTimeColumn(
                    time.column(), time.unit(), time.snapshotColumn(), time.backfillColumn()));
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
}

package dev.tidemark.pinot.flink.sql;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.PinotAuth;
import dev.tidemark.pinot.flink.KeySerializer;
import dev.tidemark.pinot.flink.PinotPartitioning;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * What the options of a table say, but for finalization.
 *
 * @param table which table
 * @param controller how Pinot is reached
 * @param options the rest
 */
record SinkOptions(PinotTable table, ControllerSettings controller, ReadableConfig options) {

  /**
   * Reads the options.
   *
   * @throws ValidationException if one contradicts another
   */
  static SinkOptions of(ReadableConfig options) {
    try {
      return new SinkOptions(
          new PinotTable(
              options.get(PinotTableOptions.TABLE), options.get(PinotTableOptions.TABLE_TYPE)),
          controller(options),
          options);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
    }
  }

  /** How many subtasks the sink has; empty for those of its input. */
  Optional<Integer> parallelism() {
    return options.getOptional(FactoryUtil.SINK_PARALLELISM);
  }

  /**
   * Passes the options on.
   *
   * @param primaryKey of the table in Pinot
   */
  void configure(PinotSinkBuilder<RowData> sink, List<String> primaryKey) {
    sink.controller(controller)
        .segmentRows(options.get(PinotTableOptions.SEGMENT_ROWS))
        .segmentSize(options.get(PinotTableOptions.SEGMENT_SIZE))
        .segmentAge(options.get(PinotTableOptions.SEGMENT_AGE))
        .writerMemory(options.get(PinotTableOptions.WRITER_MEMORY))
        .compression(options.get(PinotTableOptions.COMPRESSION))
        .commitInterval(options.get(PinotTableOptions.COMMIT_INTERVAL))
        .tieRule(options.get(PinotTableOptions.TIE_RULE));
    options.getOptional(PinotTableOptions.STAGING).ifPresent(sink::staging);
    options.getOptional(PinotTableOptions.RUN_ID).ifPresent(sink::runId);
    if (options.get(PinotTableOptions.DEAD_LETTERS) == PinotTableOptions.DeadLetterMode.LOG) {
      sink.deadLetters(new LoggedDeadLetters(table.nameWithType()));
    }
    if (table.type() == PinotTable.Type.REALTIME) {
      sink.partitioning(partitioning(primaryKey));
      if (options.get(PinotTableOptions.PARTITION_ACCEPT_UNPROVEN)) {
        sink.acceptUnprovenPartitioning();
      }
    }
  }

  private PinotPartitioning partitioning(List<String> primaryKey) {
    int partitions =
        options
            .getOptional(PinotTableOptions.PARTITIONS)
            .orElseThrow(
                () ->
                    new ValidationException(
                        "Missing option '%s' of table %s (expected: as many as the topic has that it consumes)"
                            .formatted(PinotTableOptions.PARTITIONS.key(), table)));
    List<String> columns =
        options.getOptional(PinotTableOptions.PARTITION_KEY_COLUMNS).orElse(primaryKey);
    List<PinotTableOptions.KeyFormat> formats = options.get(PinotTableOptions.PARTITION_KEY_FORMAT);
    if (formats.size() != columns.size()) {
      throw new ValidationException(
          "Invalid option '%s' of table %s: %s (expected: one format for each of the key columns %s)"
              .formatted(PinotTableOptions.PARTITION_KEY_FORMAT.key(), table, formats, columns));
    }
    KeySerializer[] parts =
        formats.stream().map(SinkOptions::serializer).toArray(KeySerializer[]::new);
    return PinotPartitioning.kafka(
        partitions,
        parts.length == 1 ? parts[0] : KeySerializer.composite(parts),
        columns.toArray(String[]::new));
  }

  private static KeySerializer serializer(PinotTableOptions.KeyFormat format) {
    return switch (format) {
      case STRING -> KeySerializer.string();
      case INT32 -> KeySerializer.int32();
      case INT64 -> KeySerializer.int64();
      case BYTES -> KeySerializer.bytes();
    };
  }

  private static ControllerSettings controller(ReadableConfig options) {
    ControllerSettings.Builder settings =
        ControllerSettings.builder(options.get(PinotTableOptions.CONTROLLER_URL))
            .auth(auth(options));
    options.getOptional(PinotTableOptions.BROKER_URLS).ifPresent(settings::brokerUrls);
    return settings.build();
  }

  /** The values are secrets, so none of them is in a message. */
  private static PinotAuth auth(ReadableConfig options) {
    Optional<String> user = options.getOptional(PinotTableOptions.AUTH_USER);
    Optional<String> password = options.getOptional(PinotTableOptions.AUTH_PASSWORD);
    Optional<String> token = options.getOptional(PinotTableOptions.AUTH_TOKEN);
    Optional<String> file = options.getOptional(PinotTableOptions.AUTH_TOKEN_FILE);
    boolean basic = user.isPresent() || password.isPresent();
    int ways = (basic ? 1 : 0) + (token.isPresent() ? 1 : 0) + (file.isPresent() ? 1 : 0);
    if (ways > 1 || (basic && (user.isEmpty() || password.isEmpty()))) {
      throw new ValidationException(
          "Invalid authentication: %s are given (expected: '%s' with '%s', or '%s', or '%s', or none)"
              .formatted(
                  given(options),
                  PinotTableOptions.AUTH_USER.key(),
                  PinotTableOptions.AUTH_PASSWORD.key(),
                  PinotTableOptions.AUTH_TOKEN.key(),
                  PinotTableOptions.AUTH_TOKEN_FILE.key()));
    }
    if (basic) {
      return PinotAuth.basic(user.orElseThrow(), password.orElseThrow());
    }
    return token
        .map(PinotAuth::bearer)
        .or(() -> file.map(path -> PinotAuth.bearerFile(Path.of(path))))
        .orElseGet(PinotAuth::none);
  }

  private static List<String> given(ReadableConfig options) {
    return List.of(
            PinotTableOptions.AUTH_USER,
            PinotTableOptions.AUTH_PASSWORD,
            PinotTableOptions.AUTH_TOKEN,
            PinotTableOptions.AUTH_TOKEN_FILE)
        .stream()
        .filter(option -> options.getOptional(option).isPresent())
        .map(ConfigOption::key)
        .toList();
  }
}

package dev.tidemark.quickstart.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an {@link EmbeddedDebezium}; {@link #tables} and {@link #stateDirectory} must be
 * given.
 */
public final class EmbeddedDebeziumBuilder {
  private final EmbeddedMariaDb database;
  private final EmbeddedKafka kafka;
  private final Map<String, String> extra = new TreeMap<>();
  private List<String> tables = List.of();
  private String topicPrefix = "cdc";
  private String snapshotMode = "initial";
  private int partitions = 1;
  private @Nullable Path stateDirectory;
  private @Nullable String heartbeatTable;
  private Duration heartbeatInterval = Duration.ofSeconds(1);

  EmbeddedDebeziumBuilder(EmbeddedMariaDb database, EmbeddedKafka kafka) {
    this.database = database;
    this.kafka = kafka;
  }

  /** The tables to capture, each as {@code database.table}; regular expressions. */
  public EmbeddedDebeziumBuilder tables(String... names) {
    tables = List.of(names);
    return this;
  }

  /**
   * The first part of every topic's name; {@code cdc} by default. One running engine per prefix.
   */
  public EmbeddedDebeziumBuilder topicPrefix(String prefix) {
    topicPrefix = prefix;
    return this;
  }

  /**
   * Debezium's {@code snapshot.mode}; {@code initial} by default, {@code no_data} for the stream
   * alone.
   */
  public EmbeddedDebeziumBuilder snapshotMode(String mode) {
    snapshotMode = mode;
    return this;
  }

  /** How many partitions a table's topic gets if it does not exist; 1 by default. */
  public EmbeddedDebeziumBuilder partitions(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("partitions: " + count + " (expected: >= 1)");
    }
    partitions = count;
    return this;
  }

  /**
   * Where the offset file and the schema history are kept; created if it does not exist. An engine
   * over the directory of another one goes on where that one stopped.
   */
  public EmbeddedDebeziumBuilder stateDirectory(Path directory) {
    stateDirectory = directory;
    return this;
  }

  /**
   * Updates a row of a table in every interval, so that a quiet database still gives events. The
   * table is created, as {@code (id INT PRIMARY KEY, beat DATETIME(6))} with one row, and captured
   * like the others.
   *
   * @param table as {@code database.table}
   */
  public EmbeddedDebeziumBuilder heartbeat(String table, Duration interval) {
    if (!table.matches("\\w+\\.\\w+")) {
      throw new IllegalArgumentException(
          "heartbeat table: %s (expected: database.table)".formatted(table));
    }
    heartbeatTable = table;
    heartbeatInterval = interval;
    return this;
  }

  /** Sets any property of Debezium or of its engine; wins over what is set here. */
  public EmbeddedDebeziumBuilder property(String key, String value) {
    extra.put(key, value);
    return this;
  }

  /**
   * Starts the engine on threads of its own and returns at once.
   *
   * @throws IllegalArgumentException if a setting is missing
   * @throws IllegalStateException if Debezium refuses the settings at once; what it finds out later
   *     is in {@link EmbeddedDebezium#failure()}
   */
  public EmbeddedDebezium start() {
    if (tables.isEmpty()) {
      throw new IllegalArgumentException("tables: none (expected: at least one database.table)");
    }
    if (stateDirectory == null) {
      throw new IllegalArgumentException("stateDirectory: none (expected: a directory)");
    }
    DebeziumSettings settings =
        new DebeziumSettings(
            database.port(),
            tables,
            topicPrefix,
            snapshotMode,
            partitions,
            stateDirectory,
            heartbeatTable,
            heartbeatInterval,
            Map.copyOf(extra));
    return EmbeddedDebezium.start(settings, database, kafka);
  }
}

package dev.tidemark.quickstart.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one engine captures and how; becomes the properties that Debezium reads.
 *
 * @param databasePort the port of MariaDB on 127.0.0.1
 * @param tables as {@code database.table}; regular expressions
 * @param partitions of the topic of each table, where the topic does not exist
 * @param state the directory of the offset file and the schema history
 * @param heartbeatTable as {@code database.table}, or null without heartbeats
 * @param extra wins over all other properties
 */
record DebeziumSettings(
    int databasePort,
    List<String> tables,
    String topicPrefix,
    String snapshotMode,
    int partitions,
    Path state,
    @Nullable String heartbeatTable,
    Duration heartbeatInterval,
    Map<String, String> extra) {

  Properties toProperties() {
    Properties properties = new Properties();
    properties.putAll(engine());
    properties.putAll(source());
    properties.putAll(events());
    // The heartbeat that follows a snapshot stores that it is complete; the later ones do no harm.
    properties.put("heartbeat.interval.ms", "60000");
    if (heartbeatTable != null) {
      properties.putAll(heartbeat(heartbeatTable));
    }
    properties.putAll(extra);
    return properties;
  }

  Path offsetFile() {
    return state.resolve("offsets.dat");
  }

  private Map<String, String> engine() {
    return Map.of(
        "name", topicPrefix,
        "connector.class", "io.debezium.connector.mariadb.MariaDbConnector",
        "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore",
        "offset.storage.file.filename", offsetFile().toString(),
        // Without a limit an engine that cannot reach its database would retry for ever and tell
        // nobody.
        "errors.max.retries", "3",
        "poll.interval.ms", "50",
        "key.converter.schemas.enable", "false",
        "value.converter.schemas.enable", "false",
        "header.converter.schemas.enable", "false");
  }

  private Map<String, String> source() {
    return Map.of(
        "database.hostname",
        "127.0.0.1",
        "database.port",
        Integer.toString(databasePort),
        "database.user",
        EmbeddedMariaDb.USER,
        "database.password",
        EmbeddedMariaDb.USER,
        "database.ssl.mode",
        "disable",
        // Without these two a snapshot shifts every TIMESTAMP by the JVM's distance from UTC; the
        // stream never does.
        "driver.connectionTimeZone",
        "UTC",
        "driver.preserveInstants",
        "true",
        // It must differ from the server's own and from any other engine's on the server.
        "database.server.id",
        Integer.toString(ThreadLocalRandom.current().nextInt(1_000_000, Integer.MAX_VALUE)),
        "schema.history.internal",
        "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename",
        state.resolve("schema-history.jsonl").toString());
  }

  private Map<String, String> events() {
    return Map.of(
        "topic.prefix", topicPrefix,
        "table.include.list", String.join(",", captured()),
        "snapshot.mode", snapshotMode,
        "include.schema.changes", "true",
        "provide.transaction.metadata", "true",
        // The default leaves out TRUNCATE.
        "skipped.operations", "none",
        "decimal.handling.mode", "string",
        "bigint.unsigned.handling.mode", "precise");
  }

  private List<String> captured() {
    return heartbeatTable == null
        ? tables
        : Stream.concat(tables.stream(), Stream.of(heartbeatTable)).toList();
  }

  private Map<String, String> heartbeat(String table) {
    long millis = heartbeatInterval.toMillis();
    return Map.of(
        "heartbeat.interval.ms",
        Long.toString(millis),
        "heartbeat.action.query",
        "INSERT INTO %s (id, beat) VALUES (1, NOW(6)) ON DUPLICATE KEY UPDATE beat = NOW(6)"
            .formatted(table),
        // Debezium looks at its interval only when the server sends something. An idle server sends
        // a heartbeat of
        // its own after 0.8 of this one, which is a minute by default.
        "connect.keep.alive.interval.ms",
        Long.toString(millis * 5 / 4),
        // The client would take a server that is late by a fifth of such a short interval for a
        // dead one.
        "connect.keep.alive",
        "false");
  }

  /** The statement that creates the heartbeat table. */
  static String heartbeatTableStatement(String table) {
    return "CREATE TABLE IF NOT EXISTS %s (id INT PRIMARY KEY, beat DATETIME(6) NOT NULL)"
        .formatted(table);
  }
}

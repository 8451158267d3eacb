package dev.tidemark.pipeline.event;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * Where and when a change happened in the source.
 *
 * @param server the connector's logical name, Debezium's topic prefix
 * @param gtid the transaction; null for a snapshot row
 * @param timeMicros the database's own time, microseconds since the epoch; on MariaDB of whole
 *     seconds, never an order
 * @param snapshot whether a snapshot read this row
 */
public record SourcePoint(String server, @Nullable Gtid gtid, long timeMicros, boolean snapshot) {
  public SourcePoint {
    requireNonNull(server, "server is null");
  }
}

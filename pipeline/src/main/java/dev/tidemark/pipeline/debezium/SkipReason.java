package dev.tidemark.pipeline.debezium;

/** Why a message is rightly no change event. */
public enum SkipReason {
  /** A null value: Kafka's compaction needs it, the DELETE came before it. */
  TOMBSTONE,
  /** BEGIN or END of a transaction, {@code provide.transaction.metadata}. */
  TRANSACTION_METADATA,
  /** A DDL statement, {@code include.schema.changes}. */
  SCHEMA_CHANGE,
  /** A Debezium heartbeat: the connector's wall clock, it proves nothing about the source. */
  HEARTBEAT,
  /** {@code op=m}: a logical decoding message, or a watermark of TiCDC. */
  MESSAGE
}

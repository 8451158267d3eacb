package dev.tidemark.pipeline.event;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * One change of one row of the source, or a TRUNCATE of its table. Immutable.
 *
 * @param resent whether its source position is at or below what its Kafka partition had already
 *     reached: the connector sent it again. It changes nothing, and it is not late
 */
public record ChangeEvent(
    Operation operation, TableId table, ChangeImages images, ChangeOrigin origin, boolean resent) {
  public ChangeEvent {
    requireNonNull(operation, "operation is null");
    requireNonNull(table, "table is null");
    requireNonNull(images, "images is null");
    requireNonNull(origin, "origin is null");
  }

  public @Nullable RowImage key() {
    return images.key();
  }

  public @Nullable RowImage before() {
    return images.before();
  }

  public @Nullable RowImage after() {
    return images.after();
  }

  public ChangeOrder order() {
    return origin.order();
  }

  public KafkaPosition kafka() {
    return origin.kafka();
  }

  /** The database's time, microseconds since the epoch. */
  public long sourceTimeMicros() {
    return origin.source().timeMicros();
  }

  public boolean snapshot() {
    return origin.source().snapshot();
  }

  /**
   * The image that says what the row was or is about: after, or before for a DELETE; null for
   * TRUNCATE.
   */
  public @Nullable RowImage row() {
    return operation == Operation.DELETE ? before() : after();
  }

  /** Whether it is one half of a changed primary key: a DELETE of the old, an INSERT of the new. */
  public boolean keyChanged() {
    return images.oldKey() != null || images.newKey() != null;
  }

  /** The same change, marked as sent again. */
  public ChangeEvent asResent() {
    return new ChangeEvent(operation, table, images, origin, true);
  }
}

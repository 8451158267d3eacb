package dev.tidemark.pipeline.deadletter;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka record that could not be decoded: where it lies, why, and its bytes as they came. The
 * bytes are not copied: nobody may change them.
 */
public final class DeadLetter {
  private final KafkaPosition position;
  private final @Nullable Long timestampMillis;
  private final String reason;
  private final byte @Nullable [] key;
  private final byte @Nullable [] value;

  public DeadLetter(
      KafkaPosition position,
      @Nullable Long timestampMillis,
      String reason,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    this.position = requireNonNull(position, "position is null");
    this.timestampMillis = timestampMillis;
    this.reason = requireNonNull(reason, "reason is null");
    this.key = key;
    this.value = value;
  }

  /** The dead letter of a record. */
  public static DeadLetter of(KafkaRecord record, String reason) {
    return new DeadLetter(
        record.position(), record.timestampMillis(), reason, record.key(), record.value());
  }

  public KafkaPosition position() {
    return position;
  }

  /** Kafka's timestamp of the record; null when it has none. */
  public @Nullable Long timestampMillis() {
    return timestampMillis;
  }

  /** Names the field, its value and what was expected. */
  public String reason() {
    return reason;
  }

  public byte @Nullable [] key() {
    return key;
  }

  public byte @Nullable [] value() {
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeadLetter that
        && position.equals(that.position)
        && Objects.equals(timestampMillis, that.timestampMillis)
        && reason.equals(that.reason)
        && Arrays.equals(key, that.key)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return position.hashCode();
  }

  @Override
  public String toString() {
    return position + ": " + reason;
  }
}

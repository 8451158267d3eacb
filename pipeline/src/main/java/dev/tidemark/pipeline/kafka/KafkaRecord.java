package dev.tidemark.pipeline.kafka;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.KafkaPosition;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka record as it came, undecoded. A null value is a tombstone. The bytes are not copied:
 * nobody may change them.
 */
public final class KafkaRecord {
  private final KafkaPosition position;
  private final @Nullable Long timestampMillis;
  private final byte @Nullable [] key;
  private final byte @Nullable [] value;
  private final List<KafkaHeader> headers;

  /**
   * @param timestampMillis Kafka's timestamp of the record; null when it has none
   */
  public KafkaRecord(
      KafkaPosition position,
      @Nullable Long timestampMillis,
      byte @Nullable [] key,
      byte @Nullable [] value,
      List<KafkaHeader> headers) {
    this.position = requireNonNull(position, "position is null");
    this.timestampMillis = timestampMillis;
    this.key = key;
    this.value = value;
    this.headers = List.copyOf(headers);
  }

  public KafkaPosition position() {
    return position;
  }

  public @Nullable Long timestampMillis() {
    return timestampMillis;
  }

  public byte @Nullable [] key() {
    return key;
  }

  public byte @Nullable [] value() {
    return value;
  }

  public List<KafkaHeader> headers() {
    return headers;
  }

  /** The value of the last header of that name; null when there is none or it is null. */
  public byte @Nullable [] header(String name) {
    byte[] found = null;
    for (KafkaHeader header : headers) {
      if (header.name().equals(name)) {
        found = header.value();
      }
    }
    return found;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KafkaRecord that
        && position.equals(that.position)
        && Objects.equals(timestampMillis, that.timestampMillis)
        && Arrays.equals(key, that.key)
        && Arrays.equals(value, that.value)
        && headers.equals(that.headers);
  }

  @Override
  public int hashCode() {
    return position.hashCode();
  }

  @Override
  public String toString() {
    return position.toString();
  }
}

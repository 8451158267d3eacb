package dev.tidemark.pipeline.kafka;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A header of a Kafka record. The bytes are not copied: nobody may change them. */
public final class KafkaHeader {
  private final String name;
  private final byte @Nullable [] value;

  public KafkaHeader(String name, byte @Nullable [] value) {
    this.name = requireNonNull(name, "name is null");
    this.value = value;
  }

  public String name() {
    return name;
  }

  public byte @Nullable [] value() {
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KafkaHeader that
        && name.equals(that.name)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return name;
  }
}

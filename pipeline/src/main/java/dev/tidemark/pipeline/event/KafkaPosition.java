package dev.tidemark.pipeline.event;

import static java.util.Objects.requireNonNull;

/** Where a record lies in Kafka. Printed as {@code topic-partition@offset}. */
public record KafkaPosition(String topic, int partition, long offset) {
  public KafkaPosition {
    requireNonNull(topic, "topic is null");
    if (partition < 0 || offset < 0) {
      throw new IllegalArgumentException(
          "Invalid Kafka position: %s-%d@%d (expected: partition and offset >= 0)"
              .formatted(topic, partition, offset));
    }
  }

  @Override
  public String toString() {
    return topic + "-" + partition + "@" + offset;
  }
}

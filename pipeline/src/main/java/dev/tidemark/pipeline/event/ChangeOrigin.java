package dev.tidemark.pipeline.event;

import static java.util.Objects.requireNonNull;

/** Where a change comes from: the source, its place in the total order, and Kafka. */
public record ChangeOrigin(SourcePoint source, ChangeOrder order, KafkaPosition kafka) {
  public ChangeOrigin {
    requireNonNull(source, "source is null");
    requireNonNull(order, "order is null");
    requireNonNull(kafka, "kafka is null");
  }
}

package dev.tidemark.pipeline.deadletter;

import dev.tidemark.pipeline.event.KafkaPosition;

/** One partition of one topic. */
record TopicPartition(String topic, int partition) {
  static TopicPartition of(KafkaPosition position) {
    return new TopicPartition(position.topic(), position.partition());
  }

  /** Which of {@code parallelism} subtasks answers for it: the same in every JVM. */
  int owner(int parallelism) {
    return Math.floorMod(31 * topic.hashCode() + partition, parallelism);
  }
}

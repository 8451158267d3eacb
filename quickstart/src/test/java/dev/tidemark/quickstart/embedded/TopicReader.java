package dev.tidemark.quickstart.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a topic from its beginning and keeps what it has read. */
final class TopicReader implements AutoCloseable {
  private final KafkaConsumer<String, String> consumer;
  private final List<ConsumerRecord<String, String>> records = new ArrayList<>();

  TopicReader(EmbeddedKafka kafka, String topic, int partitions) {
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers(), "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer());
    List<TopicPartition> all = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      all.add(new TopicPartition(topic, partition));
    }
    consumer.assign(all);
  }

  /** All records so far; waits a moment for more. */
  List<ConsumerRecord<String, String>> records() {
    consumer.poll(Duration.ofMillis(200)).forEach(records::add);
    return records;
  }

  List<String> keys() {
    return records().stream().map(ConsumerRecord::key).toList();
  }

  @Override
  public void close() {
    consumer.close();
  }
}

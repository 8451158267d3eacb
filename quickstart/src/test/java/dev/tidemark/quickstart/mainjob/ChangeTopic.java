package dev.tidemark.quickstart.mainjob;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.json.JsonReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A change topic, read from its beginning; what has been read is kept. */
final class ChangeTopic implements AutoCloseable {
  private final Map<String, Object> client;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<TopicPartition> partitions = new ArrayList<>();
  private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

  ChangeTopic(String bootstrapServers, String topic, int partitions) {
    client = Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest");
    consumer =
        new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    for (int partition = 0; partition < partitions; partition++) {
      this.partitions.add(new TopicPartition(topic, partition));
    }
    consumer.assign(this.partitions);
  }

  /** Waits for a change whose image holds this text, among those that have not been read yet. */
  void await(String text, Duration patience) {
    Awaitility.await(text)
        .atMost(patience)
        .until(
            () -> {
              int before = records.size();
              readToEnd();
              return records.subList(before, records.size()).stream()
                  .anyMatch(record -> record.value() != null && text(record).contains(text));
            });
  }

  /** Reads all that is in Kafka now. */
  void readToEnd() {
    consumer
        .endOffsets(partitions)
        .forEach(
            (partition, end) -> {
              while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
              }
            });
  }

  /** Each partition's first change after a GTID; its end where none has been read. */
  Map<TopicPartition, Long> firstAfter(Gtid gtid) throws Exception {
    Map<TopicPartition, Long> first = new HashMap<>();
    for (TopicPartition partition : partitions) {
      first.put(partition, consumer.position(partition));
    }
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Gtid own = gtid(record);
      if (own != null && own.sequence() > gtid.sequence()) {
        first.merge(
            new TopicPartition(record.topic(), record.partition()), record.offset(), Math::min);
      }
    }
    return first;
  }

  /** How many changes are in front of each partition's first one after a GTID. */
  long before(Gtid gtid) throws Exception {
    return records.size() - after(gtid).size();
  }

  /** The records from each partition's first change after a GTID on, without tombstones. */
  long changesAfter(Gtid gtid) throws Exception {
    return after(gtid).stream().filter(record -> record.value() != null).count();
  }

  private List<ConsumerRecord<byte[], byte[]>> after(Gtid gtid) throws Exception {
    Map<TopicPartition, Long> first = firstAfter(gtid);
    return records.stream()
        .filter(
            r ->
                r.offset()
                    >= requireNonNull(first.get(new TopicPartition(r.topic(), r.partition()))))
        .toList();
  }

  private static @Nullable Gtid gtid(ConsumerRecord<byte[], byte[]> record) throws Exception {
    if (record.value() == null) {
      return null;
    }
    Object source = member(JsonReader.read(record.value()), "source");
    return Gtid.parse(String.valueOf(member(source, "gtid"))).orElseThrow();
  }

  private static @Nullable Object member(@Nullable Object object, String name) {
    return object instanceof Map<?, ?> map ? map.get(name) : null;
  }

  private static String text(ConsumerRecord<byte[], byte[]> record) {
    return new String(record.value(), java.nio.charset.StandardCharsets.UTF_8);
  }

  /** Drops all records, as retention does once they are old. */
  void drop() throws Exception {
    Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
    consumer
        .endOffsets(partitions)
        .forEach((partition, end) -> all.put(partition, RecordsToDelete.beforeOffset(end)));
    try (Admin admin = Admin.create(client)) {
      admin.deleteRecords(all).all().get();
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}

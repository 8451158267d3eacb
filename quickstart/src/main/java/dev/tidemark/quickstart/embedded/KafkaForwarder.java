package dev.tidemark.quickstart.embedded;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine.ChangeConsumer;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.Header;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches of Debezium's events to Kafka and marks them as processed when Kafka has
 * acknowledged all of them: an event is never lost, and comes again when the engine dies in
 * between. Kafka's own partitioner picks the partition: murmur2 over the bytes of the key. One
 * thread at a time.
 */
final class KafkaForwarder implements ChangeConsumer<ChangeEvent<String, String>>, AutoCloseable {
  private final KafkaProducer<byte[], byte[]> producer;
  private final Admin admin;
  private final String topicPrefix;
  private final int partitions;
  private final Set<String> knownTopics = new HashSet<>();
  private boolean stopped;
  private volatile boolean failed;
  private volatile boolean heartbeatStored;

  KafkaForwarder(String bootstrapServers, String topicPrefix, int partitions) {
    this.topicPrefix = topicPrefix;
    this.partitions = partitions;
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", bootstrapServers,
                "acks", "all",
                "linger.ms", "0",
                // Long enough for a restart of the broker; then the failure comes out.
                "request.timeout.ms", "10000",
                "delivery.timeout.ms", "30000"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    this.admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
  }

  @Override
  public synchronized void handleBatch(
      List<ChangeEvent<String, String>> events,
      RecordCommitter<ChangeEvent<String, String>> committer)
      throws InterruptedException {
    if (stopped) {
      // Not marked as processed: the next engine reads these events again.
      return;
    }
    failed = true;
    send(events);
    for (ChangeEvent<String, String> event : events) {
      committer.markProcessed(event);
    }
    committer.markBatchFinished();
    failed = false;
    heartbeatStored |= events.stream().anyMatch(event -> isHeartbeat(event.destination()));
  }

  private void send(List<ChangeEvent<String, String>> events) throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>(events.size());
    for (ChangeEvent<String, String> event : events) {
      createTopicOnce(event.destination());
      sent.add(producer.send(toRecord(event)));
    }
    producer.flush();
    for (Future<RecordMetadata> one : sent) {
      requireAcknowledged(one);
    }
  }

  /** Whether a heartbeat, and with it the offset behind all that came before it, was marked. */
  boolean heartbeatStored() {
    return heartbeatStored;
  }

  /** Whether the last batch was not written and marked as a whole; also while it is under way. */
  boolean failed() {
    return failed;
  }

  /**
   * Waits for the batch that is on its way and takes no other one. The engine itself would cut the
   * batch short when it closes, and everything in it would come again.
   */
  synchronized void stop() {
    stopped = true;
  }

  private static ProducerRecord<byte[], byte[]> toRecord(ChangeEvent<String, String> event) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(event.destination(), bytes(event.key()), bytes(event.value()));
    List<Header<String>> headers = event.headers();
    headers.forEach(header -> record.headers().add(header.getKey(), bytes(header.getValue())));
    return record;
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static void requireAcknowledged(Future<RecordMetadata> sent) throws InterruptedException {
    try {
      sent.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "Cannot write a change event to Kafka: " + e.getCause(), e.getCause());
    }
  }

  private void createTopicOnce(String topic) throws InterruptedException {
    if (!knownTopics.add(topic)) {
      return;
    }
    int count = isOrderedAsOne(topic) ? 1 : partitions;
    try {
      admin.createTopics(List.of(new NewTopic(topic, count, (short) 1))).all().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new IllegalStateException(
            "Cannot create topic %s with %d partitions: %s".formatted(topic, count, e.getCause()),
            e);
      }
    }
  }

  /**
   * The topics of the whole server: DDL, transaction boundaries, heartbeats. Their order counts.
   */
  private boolean isOrderedAsOne(String topic) {
    return topic.equals(topicPrefix)
        || topic.equals(topicPrefix + ".transaction")
        || isHeartbeat(topic);
  }

  private static boolean isHeartbeat(String topic) {
    return topic.startsWith("__debezium-heartbeat.");
  }

  @Override
  public void close() {
    producer.close();
    admin.close();
  }
}

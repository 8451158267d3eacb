package dev.tidemark.pipeline.kafka;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.BinlogPosition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.jspecify.annotations.Nullable;

/**
 * The topics that a ledger is made of, and where its job begins to read them. Immutable.
 *
 * @param client properties of Kafka's clients, {@code bootstrap.servers} and security, and of the
 *     source
 * @param topics the change topics, and the heartbeat topic if there is one
 * @param startAfter begin with the first change after this position, as a bootstrap printed it;
 *     null to begin with the first record that Kafka holds
 */
public record ChangeTopics(
    Map<String, String> client, List<String> topics, @Nullable BinlogPosition startAfter) {
  private static final String SERVERS = "bootstrap.servers";

  public ChangeTopics {
    client = Map.copyOf(client);
    topics = List.copyOf(topics);
    if (topics.isEmpty()) {
      throw new IllegalArgumentException("Missing topics (expected: at least one)");
    }
    requireNonNull(client.get(SERVERS), SERVERS + " is missing");
  }

  /** These topics from their first record. */
  public static ChangeTopics of(String bootstrapServers, String... topics) {
    return new ChangeTopics(Map.of(SERVERS, bootstrapServers), List.of(topics), null);
  }

  /**
   * The same topics from the first change after a position. The job fails for good where retention
   * may have dropped changes after it; a job that is restored from a checkpoint goes on there, and
   * partitions that come later are read from their beginning.
   */
  public ChangeTopics startingAfter(BinlogPosition position) {
    return new ChangeTopics(client, topics, position);
  }

  /** The same with one more property of the clients, or of the source. */
  public ChangeTopics with(String key, String value) {
    Map<String, String> more = new HashMap<>(client);
    more.put(key, value);
    return new ChangeTopics(more, topics, startAfter);
  }

  /** The topics and where they begin; of the clients' properties the servers alone. */
  @Override
  public String toString() {
    return "%s of %s from %s"
        .formatted(
            topics, client.get(SERVERS), startAfter == null ? "their first record" : startAfter);
  }

  /** The source of a job. */
  public KafkaSource<KafkaRecord> source(String groupId) {
    Properties properties = new Properties();
    properties.putAll(client);
    return KafkaSource.<KafkaRecord>builder()
        .setProperties(properties)
        .setTopics(topics)
        .setGroupId(groupId)
        .setStartingOffsets(
            startAfter == null
                ? OffsetsInitializer.earliest()
                : new OffsetsAfterPosition(client, startAfter))
        .setDeserializer(new KafkaRecordSchema())
        .build();
  }
}

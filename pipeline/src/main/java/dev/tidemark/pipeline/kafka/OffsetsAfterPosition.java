package dev.tidemark.pipeline.kafka;

import dev.tidemark.pipeline.event.BinlogPosition;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Starts a source at {@link StartOffsets}. They are looked up in the cluster when the job runs for
 * the first time; a job that is restored goes on where its checkpoint stands and looks nothing up.
 *
 * <p>Where retention dropped the position the job fails for good. Nor does the source ever skip to
 * another offset by itself.
 */
final class OffsetsAfterPosition implements OffsetsInitializer {
  private static final long serialVersionUID = 1L;
  private static final Duration MARGIN = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> client;
  private final BinlogPosition position;

  OffsetsAfterPosition(Map<String, String> client, BinlogPosition position) {
    this.client = Map.copyOf(client);
    this.position = position;
  }

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            lookingUp(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      return new StartOffsets(consumer, MARGIN, PATIENCE).after(partitions, position);
    } catch (PositionLostException e) {
      throw new SuppressRestartsException(e);
    }
  }

  private Map<String, Object> lookingUp() {
    Map<String, Object> properties = new HashMap<>(client);
    properties.put("auto.offset.reset", "none");
    properties.put("enable.auto.commit", "false");
    return properties;
  }

  @Override
  public OffsetResetStrategy getAutoOffsetResetStrategy() {
    return OffsetResetStrategy.NONE;
  }
}

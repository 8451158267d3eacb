package dev.tidemark.quickstart.embedded.pinot;

import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pinot.spi.stream.PartitionGroupConsumer;
import org.apache.pinot.spi.stream.PartitionGroupConsumptionStatus;
import org.apache.pinot.spi.stream.StreamConsumerFactory;
import org.apache.pinot.spi.stream.StreamMetadataProvider;

/**
 * Has Pinot read Kafka, in place of Pinot's own plugin, which no repository serves. Every record
 * that can be read is delivered, also of transactions that were never committed. Pinot makes it by
 * its class name, see {@link KafkaStreamConfigs}.
 */
public final class KafkaStream extends StreamConsumerFactory {

  @Override
  public StreamMetadataProvider createPartitionMetadataProvider(String clientId, int partition) {
    return new KafkaStreamMetadata(consumer(clientId), topic(), partition);
  }

  @Override
  public StreamMetadataProvider createStreamMetadataProvider(String clientId) {
    return new KafkaStreamMetadata(consumer(clientId), topic(), 0);
  }

  @Override
  public PartitionGroupConsumer createPartitionGroupConsumer(
      String clientId, PartitionGroupConsumptionStatus status) {
    return new KafkaStreamPartition(
        consumer(clientId), topic(), status.getStreamPartitionGroupId());
  }

  private String topic() {
    return _streamConfig.getTopicName();
  }

  private KafkaConsumer<byte[], byte[]> consumer(String clientId) {
    String servers =
        Objects.requireNonNull(
            _streamConfig.getStreamConfigsMap().get(KafkaStreamConfigs.BOOTSTRAP_SERVERS),
            KafkaStreamConfigs.BOOTSTRAP_SERVERS + " is null");
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            servers,
            ConsumerConfig.CLIENT_ID_CONFIG,
            clientId,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest");
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}

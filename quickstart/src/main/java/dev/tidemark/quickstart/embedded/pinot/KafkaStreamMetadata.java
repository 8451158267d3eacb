package dev.tidemark.quickstart.embedded.pinot;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.pinot.spi.stream.LongMsgOffset;
import org.apache.pinot.spi.stream.OffsetCriteria;
import org.apache.pinot.spi.stream.StreamMetadataProvider;
import org.apache.pinot.spi.stream.StreamPartitionMsgOffset;
import org.apache.pinot.spi.stream.TransientConsumerException;

/**
 * Says which partitions a topic has and where they begin and end. Thread-safe: the thread that ends
 * a consuming segment closes it, while the one that consumes may still be asking how far behind it
 * is.
 */
final class KafkaStreamMetadata implements StreamMetadataProvider {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String topic;
  private final int partition;

  KafkaStreamMetadata(KafkaConsumer<byte[], byte[]> consumer, String topic, int partition) {
    this.consumer = consumer;
    this.topic = topic;
    this.partition = partition;
  }

  @Override
  public synchronized int fetchPartitionCount(long timeoutMillis) {
    return fetchPartitionIds(timeoutMillis).size();
  }

  @Override
  public synchronized Set<Integer> fetchPartitionIds(long timeoutMillis) {
    List<PartitionInfo> partitions =
        consumer.partitionsFor(topic, Duration.ofMillis(timeoutMillis));
    if (partitions == null || partitions.isEmpty()) {
      throw new TransientConsumerException(new IllegalStateException("Cannot find topic " + topic));
    }
    return partitions.stream().map(PartitionInfo::partition).collect(Collectors.toSet());
  }

  @Override
  public synchronized Map<Integer, StreamPartitionMsgOffset> fetchLatestStreamOffset(
      Set<Integer> partitionIds, long timeoutMillis) {
    Collection<TopicPartition> partitions = partitionIds.stream().map(this::partition).toList();
    return consumer.endOffsets(partitions, Duration.ofMillis(timeoutMillis)).entrySet().stream()
        .collect(
            Collectors.toMap(
                end -> end.getKey().partition(), end -> new LongMsgOffset(end.getValue())));
  }

  @Override
  public synchronized StreamPartitionMsgOffset fetchStreamPartitionOffset(
      OffsetCriteria criteria, long timeoutMillis) throws TimeoutException {
    List<TopicPartition> own = List.of(partition(partition));
    Duration timeout = Duration.ofMillis(timeoutMillis);
    Map<TopicPartition, Long> offsets;
    if (criteria.isSmallest()) {
      offsets = consumer.beginningOffsets(own, timeout);
    } else if (criteria.isLargest()) {
      offsets = consumer.endOffsets(own, timeout);
    } else {
      throw new IllegalArgumentException(
          "Invalid offset criteria: "
              + criteria.getOffsetString()
              + " (expected: smallest or largest)");
    }
    Long offset = offsets.get(own.get(0));
    if (offset == null) {
      throw new TimeoutException(
          "Cannot find the " + criteria.getOffsetString() + " offset of " + own);
    }
    return new LongMsgOffset(offset);
  }

  private TopicPartition partition(int id) {
    return new TopicPartition(topic, id);
  }

  @Override
  public boolean supportsOffsetLag() {
    return true;
  }

  @Override
  public synchronized void close() {
    consumer.close();
  }
}

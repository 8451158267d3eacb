package dev.tidemark.quickstart.embedded.pinot;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.pinot.spi.stream.BytesStreamMessage;
import org.apache.pinot.spi.stream.LongMsgOffset;
import org.apache.pinot.spi.stream.MessageBatch;
import org.apache.pinot.spi.stream.PartitionGroupConsumer;
import org.apache.pinot.spi.stream.StreamMessage;
import org.apache.pinot.spi.stream.StreamMessageMetadata;
import org.apache.pinot.spi.stream.StreamPartitionMsgOffset;
import org.jspecify.annotations.Nullable;

/** Reads one partition of a topic. For one thread at a time. */
final class KafkaStreamPartition implements PartitionGroupConsumer {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicPartition partition;
  private long position = Long.MIN_VALUE;

  KafkaStreamPartition(KafkaConsumer<byte[], byte[]> consumer, String topic, int partition) {
    this.consumer = consumer;
    this.partition = new TopicPartition(topic, partition);
    consumer.assign(List.of(this.partition));
  }

  @Override
  public synchronized MessageBatch<byte[]> fetchMessages(
      StreamPartitionMsgOffset startOffset, int timeoutMillis) {
    long start = ((LongMsgOffset) startOffset).getOffset();
    if (start != position) {
      consumer.seek(partition, start);
      position = start;
    }
    List<ConsumerRecord<byte[], byte[]>> records = poll(timeoutMillis);
    if (!records.isEmpty()) {
      position = records.get(records.size() - 1).offset() + 1;
    }
    return new Batch(messages(records), records.size(), position);
  }

  // Pinot interrupts the thread that it wants to end, which then looks whether it should.
  private List<ConsumerRecord<byte[], byte[]>> poll(int timeoutMillis) {
    try {
      return consumer.poll(Duration.ofMillis(timeoutMillis)).records(partition);
    } catch (InterruptException e) {
      return List.of();
    }
  }

  // A record without a value deletes its key in a compacted topic; it is no row.
  private static List<StreamMessage<byte[]>> messages(
      List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream()
        .filter(record -> record.value() != null)
        .map(KafkaStreamPartition::message)
        .toList();
  }

  private static StreamMessage<byte[]> message(ConsumerRecord<byte[], byte[]> record) {
    StreamMessageMetadata metadata =
        new StreamMessageMetadata.Builder()
            .setRecordIngestionTimeMs(record.timestamp())
            .setOffset(new LongMsgOffset(record.offset()), new LongMsgOffset(record.offset() + 1))
            .setSerializedValueSize(record.serializedValueSize())
            .build();
    return new BytesStreamMessage(record.key(), record.value(), metadata);
  }

  @Override
  public synchronized void close() {
    boolean interrupted = Thread.interrupted();
    consumer.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param read how many records were read, those without a value too
   * @param next the offset after the last record that was read
   */
  private record Batch(List<StreamMessage<byte[]>> messages, int read, long next)
      implements MessageBatch<byte[]> {
    @Override
    public int getMessageCount() {
      return messages.size();
    }

    @Override
    public int getUnfilteredMessageCount() {
      return read;
    }

    @Override
    public StreamMessage<byte[]> getStreamMessage(int index) {
      return messages.get(index);
    }

    @Override
    public StreamPartitionMsgOffset getOffsetOfNextBatch() {
      return new LongMsgOffset(next);
    }

    @Override
    public @Nullable StreamPartitionMsgOffset getFirstMessageOffset() {
      return messages.isEmpty() ? null : messages.get(0).getMetadata().getOffset();
    }

    @Override
    public long getSizeInBytes() {
      return messages.stream().mapToLong(StreamMessage::getLength).sum();
    }
  }
}

package dev.tidemark.pipeline.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.event.KafkaPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class KafkaRecordSchemaTest {
  @Test
  void aTombstoneIsKeptWithItsHeadersAndTimestamp() {
    RecordHeaders headers = new RecordHeaders();
    headers.add("__debezium.newkey", new byte[] {1}).add("empty", null);
    KafkaRecord record = read(consumed(TimestampType.CREATE_TIME, headers));
    assertThat(record.value()).isNull();
    assertThat(record.position()).isEqualTo(new KafkaPosition("t", 3, 9));
    assertThat(record.timestampMillis()).isEqualTo(77L);
    assertThat(record.key()).containsExactly(5);
    assertThat(record.header("__debezium.newkey")).containsExactly(1);
    assertThat(record.header("empty")).isNull();
    assertThat(record.headers()).hasSize(2);
  }

  @Test
  void aRecordWithoutTimestampHasNone() {
    assertThat(
            read(consumed(TimestampType.NO_TIMESTAMP_TYPE, new RecordHeaders())).timestampMillis())
        .isNull();
  }

  private static KafkaRecord read(ConsumerRecord<byte[], byte[]> record) {
    List<KafkaRecord> out = new ArrayList<>();
    new KafkaRecordSchema()
        .deserialize(
            record,
            new Collector<>() {
              @Override
              public void collect(KafkaRecord read) {
                out.add(read);
              }

              @Override
              public void close() {}
            });
    return out.get(0);
  }

  private static ConsumerRecord<byte[], byte[]> consumed(
      TimestampType type, RecordHeaders headers) {
    return new ConsumerRecord<>(
        "t", 3, 9, 77, type, 1, 0, new byte[] {5}, null, headers, Optional.empty());
  }
}

package dev.tidemark.pipeline.kafka;

import dev.tidemark.pipeline.event.KafkaPosition;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;

/** For a {@code KafkaSource}: every record as it is, tombstones included; it decodes nothing. */
public final class KafkaRecordSchema implements KafkaRecordDeserializationSchema<KafkaRecord> {
  private static final long serialVersionUID = 1L;

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<KafkaRecord> out) {
    List<KafkaHeader> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      headers.add(new KafkaHeader(header.key(), header.value()));
    }
    boolean timed = record.timestampType() != TimestampType.NO_TIMESTAMP_TYPE;
    out.collect(
        new KafkaRecord(
            new KafkaPosition(record.topic(), record.partition(), record.offset()),
            timed ? (Long) record.timestamp() : null,
            record.key(),
            record.value(),
            headers));
  }

  @Override
  public TypeInformation<KafkaRecord> getProducedType() {
    return KafkaRecordCodec.TYPE;
  }
}

package dev.tidemark.pipeline.kafka;

import dev.tidemark.pipeline.codec.ByteCodec;
import dev.tidemark.pipeline.codec.Bytes;
import dev.tidemark.pipeline.codec.CodecTypeInfo;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import dev.tidemark.pipeline.event.KafkaPosition;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The byte form of a {@link KafkaRecord}. */
public final class KafkaRecordCodec implements ByteCodec<KafkaRecord> {
  /** The Flink type of a {@link KafkaRecord}. */
  public static final CodecTypeInfo<KafkaRecord> TYPE = CodecTypeInfo.of(new KafkaRecordCodec());

  @Override
  public Class<KafkaRecord> type() {
    return KafkaRecord.class;
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public void write(KafkaRecord record, DataOutput out) throws IOException {
    ChangeEventCodec.writePosition(record.position(), out);
    Bytes.writeLong(record.timestampMillis(), out);
    Bytes.write(record.key(), out);
    Bytes.write(record.value(), out);
    out.writeInt(record.headers().size());
    for (KafkaHeader header : record.headers()) {
      Bytes.writeText(header.name(), out);
      Bytes.write(header.value(), out);
    }
  }

  @Override
  public KafkaRecord read(int version, DataInput in) throws IOException {
    KafkaPosition position = ChangeEventCodec.readPosition(in);
    Long timestamp = Bytes.readLong(in);
    byte[] key = Bytes.read(in);
    byte[] value = Bytes.read(in);
    int count = in.readInt();
    List<KafkaHeader> headers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      headers.add(new KafkaHeader(Bytes.readText(in), Bytes.read(in)));
    }
    return new KafkaRecord(position, timestamp, key, value, headers);
  }
}

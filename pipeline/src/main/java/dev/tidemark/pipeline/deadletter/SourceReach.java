package dev.tidemark.pipeline.deadletter;

import dev.tidemark.pipeline.codec.ByteCodec;
import dev.tidemark.pipeline.codec.Bytes;
import dev.tidemark.pipeline.codec.CodecTypeInfo;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.KafkaPosition;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * How far a Kafka partition has come in the source: its streamed change of the highest source
 * order.
 *
 * @param server the connector's logical name
 * @param domain the GTID domain of that change
 */
record SourceReach(String server, long domain, ChangeOrder highest, KafkaPosition kafka) {

  TopicPartition topicPartition() {
    return TopicPartition.of(kafka);
  }

  /** The byte form, kept in checkpoints. */
  public static final class Codec implements ByteCodec<SourceReach> {
    static final CodecTypeInfo<SourceReach> TYPE = CodecTypeInfo.of(new Codec());

    public Codec() {}

    @Override
    public Class<SourceReach> type() {
      return SourceReach.class;
    }

    @Override
    public int version() {
      return 1;
    }

    @Override
    public void write(SourceReach reach, DataOutput out) throws IOException {
      Bytes.writeText(reach.server, out);
      out.writeLong(reach.domain);
      Bytes.writeText(reach.highest.cdcOrd(), out);
      ChangeEventCodec.writePosition(reach.kafka, out);
    }

    @Override
    public SourceReach read(int version, DataInput in) throws IOException {
      return new SourceReach(
          Bytes.readText(in),
          in.readLong(),
          ChangeOrder.parse(Bytes.readText(in)),
          ChangeEventCodec.readPosition(in));
    }
  }
}

package dev.tidemark.pipeline.coverage;

import dev.tidemark.pipeline.codec.ByteCodec;
import dev.tidemark.pipeline.codec.Bytes;
import dev.tidemark.pipeline.codec.CodecTypeInfo;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * How far a partition was read, as checkpoints keep it.
 *
 * @param partition its name
 * @param nextOffset the next offset to read
 */
public record PartitionReach(String partition, long nextOffset) {

  /** The byte form, kept in checkpoints. */
  public static final class Codec implements ByteCodec<PartitionReach> {
    /** Flink's type information over this codec. */
    public static final CodecTypeInfo<PartitionReach> TYPE = CodecTypeInfo.of(new Codec());

    /** For {@link CodecTypeInfo}, which makes it by name. */
    public Codec() {}

    @Override
    public Class<PartitionReach> type() {
      return PartitionReach.class;
    }

    @Override
    public int version() {
      return 1;
    }

    @Override
    public void write(PartitionReach reach, DataOutput out) throws IOException {
      Bytes.writeText(reach.partition, out);
      out.writeLong(reach.nextOffset);
    }

    @Override
    public PartitionReach read(int version, DataInput in) throws IOException {
      return new PartitionReach(Bytes.readText(in), in.readLong());
    }
  }
}

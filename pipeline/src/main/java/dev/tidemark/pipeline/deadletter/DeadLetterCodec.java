package dev.tidemark.pipeline.deadletter;

import dev.tidemark.pipeline.codec.ByteCodec;
import dev.tidemark.pipeline.codec.Bytes;
import dev.tidemark.pipeline.codec.CodecTypeInfo;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** The byte form of a {@link DeadLetter}. */
public final class DeadLetterCodec implements ByteCodec<DeadLetter> {
  /** The Flink type of a {@link DeadLetter}. */
  public static final CodecTypeInfo<DeadLetter> TYPE = CodecTypeInfo.of(new DeadLetterCodec());

  @Override
  public Class<DeadLetter> type() {
    return DeadLetter.class;
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public void write(DeadLetter letter, DataOutput out) throws IOException {
    ChangeEventCodec.writePosition(letter.position(), out);
    Bytes.writeLong(letter.timestampMillis(), out);
    Bytes.writeText(letter.reason(), out);
    Bytes.write(letter.key(), out);
    Bytes.write(letter.value(), out);
  }

  @Override
  public DeadLetter read(int version, DataInput in) throws IOException {
    return new DeadLetter(
        ChangeEventCodec.readPosition(in),
        Bytes.readLong(in),
        Bytes.readText(in),
        Bytes.read(in),
        Bytes.read(in));
  }
}

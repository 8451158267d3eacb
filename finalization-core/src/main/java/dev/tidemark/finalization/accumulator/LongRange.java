package dev.tidemark.finalization.accumulator;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.util.List;

/**
 * How many values a column had, how many were null, and the least and the greatest.
 *
 * @param count values that were not null
 * @param nullCount values that were null
 * @param min the least value; {@link Long#MAX_VALUE} when {@code count} is 0
 * @param max the greatest value; {@link Long#MIN_VALUE} when {@code count} is 0
 */
public record LongRange(long count, long nullCount, long min, long max) {
  /** No value at all. */
  public static final LongRange EMPTY = new LongRange(0, 0, Long.MAX_VALUE, Long.MIN_VALUE);

  static LongRange merge(List<LongRange> parts) {
    LongRange merged = EMPTY;
    for (LongRange part : parts) {
      merged =
          new LongRange(
              merged.count + part.count,
              merged.nullCount + part.nullCount,
              Math.min(merged.min, part.min),
              Math.max(merged.max, part.max));
    }
    return merged;
  }

  /** Version 1: version, count, null count, min, max as variable-length integers. */
  static final class Codec implements SnapshotCodec<LongRange> {
    @Override
    public byte[] encode(LongRange range) {
      return new ByteWriter()
          .writeByte(1)
          .writeUnsigned(range.count)
          .writeUnsigned(range.nullCount)
          .writeSigned(range.min)
          .writeSigned(range.max)
          .toByteArray();
    }

    @Override
    public LongRange decode(byte[] bytes) {
      ByteReader in = new ByteReader("long range", bytes);
      in.readVersion(1);
      LongRange range =
          new LongRange(in.readUnsigned(), in.readUnsigned(), in.readSigned(), in.readSigned());
      in.expectEnd();
      return range;
    }
  }
}

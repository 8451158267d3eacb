package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.iceberg.flink.sink.WriteResultSerializer;

/** Version 1: the stock serializer's version and bytes of the files, then the accumulators. */
final class CountedWriteResultSerializer implements SimpleVersionedSerializer<CountedWriteResult> {
  private final WriteResultSerializer files = new WriteResultSerializer();

  @Override
  public int getVersion() {
    return 1;
  }

  @Override
  public byte[] serialize(CountedWriteResult result) throws IOException {
    ByteWriter out = new ByteWriter().writeUnsigned(files.getVersion());
    out.writeBytes(files.serialize(result.files()));
    ByteMaps.write(out, result.counted());
    return out.toByteArray();
  }

  @Override
  public CountedWriteResult deserialize(int version, byte[] bytes) throws IOException {
    if (version != 1) {
      throw new IOException("Cannot read write result of version " + version + " (expected: 1)");
    }
    ByteReader in = new ByteReader("write result", bytes);
    int filesVersion = (int) in.readUnsigned();
    CountedWriteResult result =
        new CountedWriteResult(files.deserialize(filesVersion, in.readBytes()), ByteMaps.read(in));
    in.expectEnd();
    return result;
  }
}

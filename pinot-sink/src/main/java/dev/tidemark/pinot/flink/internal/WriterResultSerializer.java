package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The bytes of a {@link WriterResult}, on its way to the aggregator and in its state. */
public final class WriterResultSerializer implements SimpleVersionedSerializer<WriterResult> {
  private static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(WriterResult result) {
    ByteWriter out = new ByteWriter();
    Codecs.writeRun(out, result.run());
    out.writeByte(result.ended() ? 1 : 0);
    Codecs.writeList(out, result.segments(), Codecs::writeSegment);
    Codecs.writeList(out, result.facts(), Codecs::writeFacts);
    return out.toByteArray();
  }

  @Override
  public WriterResult deserialize(int version, byte[] bytes) throws IOException {
    Versions.check("writer result", version, VERSION);
    ByteReader in = new ByteReader("writer result", bytes);
    Run run = Codecs.readRun(in);
    boolean ended = in.readByte() == 1;
    WriterResult result =
        new WriterResult(
            run,
            ended,
            Codecs.readList(in, Codecs::readSegment),
            Codecs.readList(in, Codecs::readFacts));
    in.expectEnd();
    return result;
  }
}

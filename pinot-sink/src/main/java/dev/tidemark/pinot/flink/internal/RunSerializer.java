package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The bytes of a {@link Run} in state. */
public final class RunSerializer implements SimpleVersionedSerializer<Run> {
  private static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(Run run) {
    ByteWriter out = new ByteWriter();
    Codecs.writeRun(out, run);
    return out.toByteArray();
  }

  @Override
  public Run deserialize(int version, byte[] bytes) throws IOException {
    Versions.check("run", version, VERSION);
    ByteReader in = new ByteReader("run", bytes);
    Run run = Codecs.readRun(in);
    in.expectEnd();
    return run;
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The bytes of a {@link SinkCommittable}, in the committer's state. */
public final class SinkCommittableSerializer implements SimpleVersionedSerializer<SinkCommittable> {
  private static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(SinkCommittable committable) {
    PinotCommit commit = committable.commit();
    ByteWriter out = new ByteWriter();
    Codecs.writeCommitId(out, commit.id());
    Codecs.writeRun(out, commit.run());
    out.writeSigned(commit.checkpointId()).writeSigned(committable.carriedBy());
    out.writeByte(commit.delivery().redelivered() ? 1 : 0);
    out.writeByte(commit.delivery().inputEnded() ? 1 : 0);
    Codecs.writeList(out, commit.segments(), Codecs::writeSegment);
    Codecs.writeFacts(out, commit.accumulated());
    return out.toByteArray();
  }

  @Override
  public SinkCommittable deserialize(int version, byte[] bytes) throws IOException {
    Versions.check("committable", version, VERSION);
    ByteReader in = new ByteReader("committable", bytes);
    CommitId id = Codecs.readCommitId(in);
    Run run = Codecs.readRun(in);
    long checkpointId = in.readSigned();
    long carriedBy = in.readSigned();
    PinotCommit.Delivery delivery =
        new PinotCommit.Delivery(in.readByte() == 1, in.readByte() == 1);
    PinotCommit commit =
        new PinotCommit(
            id,
            run,
            checkpointId,
            delivery,
            Codecs.readList(in, Codecs::readSegment),
            Codecs.readFacts(in));
    in.expectEnd();
    return new SinkCommittable(commit, carriedBy);
  }
}

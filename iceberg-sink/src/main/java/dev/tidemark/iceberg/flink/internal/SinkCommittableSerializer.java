package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.coverage.Coverage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The stock committable's layout (version 1) followed by a trailer, so that savepoints move both
 * ways: the stock serializer reads its part and stops there, and a committable without the trailer
 * is read as one that the stock sink wrote. Trailer: magic {@code TIDE}, length, bytes, CRC-32 of
 * the bytes; the bytes begin with a version of their own.
 */
final class SinkCommittableSerializer implements SimpleVersionedSerializer<SinkCommittable> {
  /** The stock serializer's version: a savepoint must look like the stock sink's. */
  private static final int STOCK_VERSION = 1;

  private static final int MAGIC = 0x54494445;
  private static final int TRAILER_VERSION = 1;

  /** Magic, length and checksum around the trailer's bytes. */
  private static final int FRAME_BYTES = 3 * Integer.BYTES;

  @Override
  public int getVersion() {
    return STOCK_VERSION;
  }

  @Override
  public byte[] serialize(SinkCommittable committable) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(committable.jobId());
    out.writeUTF(committable.operatorId());
    out.writeLong(committable.checkpointId());
    out.writeInt(committable.manifests().length);
    out.write(committable.manifests());
    SinkCommittable.Trailer trailer = committable.trailer();
    if (trailer != null) {
      byte[] encoded = encode(trailer);
      out.writeInt(MAGIC);
      out.writeInt(encoded.length);
      out.write(encoded);
      out.writeInt(checksum(encoded));
    }
    return bytes.toByteArray();
  }

  @Override
  public SinkCommittable deserialize(int version, byte[] bytes) throws IOException {
    if (version != STOCK_VERSION) {
      throw new IOException(
          "Cannot read committable of version " + version + " (expected: " + STOCK_VERSION + ")");
    }
    DataInputDeserializer in = new DataInputDeserializer(bytes);
    String jobId = in.readUTF();
    String operatorId = in.readUTF();
    long checkpointId = in.readLong();
    byte[] manifests = new byte[in.readInt()];
    in.readFully(manifests);
    return new SinkCommittable(
        manifests, jobId, operatorId, checkpointId, readTrailer(in, checkpointId));
  }

  private static SinkCommittable.@Nullable Trailer readTrailer(
      DataInputDeserializer in, long checkpointId) throws IOException {
    if (in.available() == 0) {
      return null;
    }
    boolean ours = in.available() >= FRAME_BYTES && in.readInt() == MAGIC;
    int length = ours ? in.readInt() : -1;
    if (length < 0 || length != in.available() - Integer.BYTES) {
      throw damaged(checkpointId);
    }
    byte[] encoded = new byte[length];
    in.readFully(encoded);
    if (in.readInt() != checksum(encoded)) {
      throw damaged(checkpointId);
    }
    return decode(encoded);
  }

  private static IOException damaged(long checkpointId) {
    return new IOException(
        "Cannot read committable of checkpoint "
            + checkpointId
            + ": its trailer is damaged or foreign");
  }

  private static byte[] encode(SinkCommittable.Trailer trailer) {
    UUID id = trailer.id().value();
    ByteWriter out = new ByteWriter().writeByte(TRAILER_VERSION);
    out.writeSigned(id.getMostSignificantBits()).writeSigned(id.getLeastSignificantBits());
    out.writeSigned(trailer.createdAtMillis()).writeByte(trailer.inputEnded() ? 1 : 0);
    Coverage coverage = trailer.coverage();
    out.writeBytes(coverage == null ? new byte[0] : coverage.toBytes());
    ByteMaps.write(out, trailer.accumulated());
    return out.toByteArray();
  }

  private static SinkCommittable.Trailer decode(byte[] encoded) {
    ByteReader in = new ByteReader("committable trailer", encoded);
    in.readVersion(TRAILER_VERSION);
    CommitId id = new CommitId(new UUID(in.readSigned(), in.readSigned()));
    long createdAt = in.readSigned();
    boolean ended = in.readByte() == 1;
    byte[] coverage = in.readBytes();
    Map<String, byte[]> accumulated = ByteMaps.read(in);
    in.expectEnd();
    return new SinkCommittable.Trailer(
        id,
        createdAt,
        accumulated,
        coverage.length == 0 ? null : Coverage.fromBytes(coverage),
        ended);
  }

  private static int checksum(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}

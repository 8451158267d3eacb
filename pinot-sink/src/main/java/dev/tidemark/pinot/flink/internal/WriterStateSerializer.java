package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.SegmentRows;
import dev.tidemark.pinot.segment.SegmentTable;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a {@link WriterState}: the length of a head, the head, and the rows in their own
 * format to the end. Version 2 has the place of the next buffer; version 1 leaves it to the open
 * rows.
 */
public final class WriterStateSerializer implements SimpleVersionedSerializer<WriterState> {
  private static final int VERSION = 2;
  private static final int RUN_ALONE = 0;
  private static final int OPEN_ROWS = 1;
  private static final int STAGED = 2;

  /** Arrays end a little before {@link Integer#MAX_VALUE}, and Flink adds a version. */
  private static final int LONGEST_BYTES = Integer.MAX_VALUE - 64;

  private final SegmentTable table;

  /**
   * @param table whose rows are kept
   */
  public WriterStateSerializer(SegmentTable table) {
    this.table = table;
  }

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(WriterState state) throws IOException {
    byte[] head = head(state);
    // Counted first: an array that grows, and is copied at last, takes the rows three times.
    DataOutputStream counted = new DataOutputStream(OutputStream.nullOutputStream());
    write(state, head, counted);
    if (counted.size() > LONGEST_BYTES) {
      throw new IOException(
          "Cannot keep the rows of an open segment in a checkpoint: more than "
              + LONGEST_BYTES
              + " bytes (expected: less; lower segmentSize)");
    }
    ExactBytes bytes = new ExactBytes(counted.size());
    write(state, head, new DataOutputStream(bytes));
    return bytes.all();
  }

  private static void write(WriterState state, byte[] head, DataOutputStream out)
      throws IOException {
    out.writeInt(head.length);
    out.write(head);
    if (state.content() instanceof WriterState.OpenRows open) {
      open.rows().writeTo(out);
    }
    out.flush();
  }

  /** Bytes whose number is known before, without a copy. */
  private static final class ExactBytes extends ByteArrayOutputStream {
    ExactBytes(int size) {
      super(size);
    }

    byte[] all() {
      return count == buf.length ? buf : toByteArray();
    }
  }

  @Override
  public WriterState deserialize(int version, byte[] bytes) throws IOException {
    Versions.check("writer state", version, VERSION);
    DataInputStream stream = new DataInputStream(new ByteArrayInputStream(bytes));
    int length = stream.readInt();
    if (length < 0 || length > bytes.length - Integer.BYTES) {
      throw new IOException(
          "Cannot read writer state: a head of " + length + " of " + bytes.length + " bytes");
    }
    ByteReader in = new ByteReader("writer state", stream.readNBytes(length));
    Run run = Codecs.readRun(in);
    long nextOpening = version == 1 ? 0 : in.readUnsigned();
    WriterState.Content content = content(in, stream);
    in.expectEnd();
    return new WriterState(run, nextOpening, content);
  }

  private static byte[] head(WriterState state) {
    ByteWriter out = new ByteWriter();
    Codecs.writeRun(out, state.run());
    out.writeUnsigned(state.nextOpening());
    if (state.content() instanceof WriterState.OpenRows open) {
      out.writeByte(OPEN_ROWS);
      Codecs.writePartition(out, open.partition());
      out.writeSigned(open.openedAt());
      Codecs.writeList(out, open.facts(), Codecs::writeFacts);
    } else if (state.content() instanceof WriterState.Staged staged) {
      out.writeByte(STAGED);
      Codecs.writeSegment(out, staged.segment());
      Codecs.writeList(out, staged.facts(), Codecs::writeFacts);
    } else {
      out.writeByte(RUN_ALONE);
    }
    return out.toByteArray();
  }

  private WriterState.@Nullable Content content(ByteReader in, DataInputStream rows)
      throws IOException {
    int kind = in.readByte();
    return switch (kind) {
      case RUN_ALONE -> null;
      case OPEN_ROWS -> openRows(in, rows);
      case STAGED -> staged(in);
      default -> throw new IOException("Cannot read writer state: kind " + kind + " is unknown");
    };
  }

  private WriterState.OpenRows openRows(ByteReader in, DataInputStream rows) throws IOException {
    Integer partition = Codecs.readPartition(in);
    long openedAt = in.readSigned();
    List<Map<String, byte[]>> facts = Codecs.readList(in, Codecs::readFacts);
    return new WriterState.OpenRows(partition, openedAt, SegmentRows.readFrom(table, rows), facts);
  }

  private static WriterState.Staged staged(ByteReader in) {
    StagedSegment segment = Codecs.readSegment(in);
    return new WriterState.Staged(segment, Codecs.readList(in, Codecs::readFacts));
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The bytes of the values that several serializers share. */
final class Codecs {
  private Codecs() {}

  static void writeRun(ByteWriter out, Run run) {
    out.writeString(run.id()).writeSigned(run.startMillis()).writeUnsigned(run.restoreEpoch());
    Long restored = run.restoredCheckpoint();
    out.writeUnsigned(restored == null ? 0 : restored + 1);
  }

  static Run readRun(ByteReader in) {
    String id = in.readString();
    long start = in.readSigned();
    int epoch = (int) in.readUnsigned();
    long restored = in.readUnsigned();
    return new Run(id, start, epoch, restored == 0 ? null : restored - 1);
  }

  static void writeCommitId(ByteWriter out, CommitId id) {
    UUID value = id.value();
    out.writeSigned(value.getMostSignificantBits()).writeSigned(value.getLeastSignificantBits());
  }

  static CommitId readCommitId(ByteReader in) {
    return new CommitId(new UUID(in.readSigned(), in.readSigned()));
  }

  static void writePartition(ByteWriter out, @Nullable Integer partition) {
    out.writeUnsigned(partition == null ? 0 : partition + 1L);
  }

  static @Nullable Integer readPartition(ByteReader in) {
    long shifted = in.readUnsigned();
    return shifted == 0 ? null : (int) (shifted - 1);
  }

  static void writeSegment(ByteWriter out, StagedSegment segment) {
    out.writeString(segment.name()).writeSigned(segment.crc());
    StagedSegment.Files files = segment.files();
    out.writeString(files.tarUri()).writeString(files.metadataUri());
    out.writeUnsigned(files.tarBytes());
    writePartition(out, segment.partition());
    out.writeUnsigned(segment.rows()).writeSigned(segment.creationTimeMillis());
    StagedSegment.Times times = segment.times();
    out.writeByte(times == null ? 0 : 1);
    if (times != null) {
      out.writeSigned(times.minMillis()).writeSigned(times.maxMillis());
    }
  }

  static StagedSegment readSegment(ByteReader in) {
    String name = in.readString();
    long crc = in.readSigned();
    StagedSegment.Files files =
        new StagedSegment.Files(in.readString(), in.readString(), in.readUnsigned());
    Integer partition = readPartition(in);
    long rows = in.readUnsigned();
    long creationTime = in.readSigned();
    StagedSegment.Times times =
        in.readByte() == 0 ? null : new StagedSegment.Times(in.readSigned(), in.readSigned());
    return new StagedSegment(name, crc, files, partition, rows, creationTime, times);
  }

  static void writeFacts(ByteWriter out, Map<String, byte[]> facts) {
    out.writeUnsigned(facts.size());
    facts.forEach((name, bytes) -> out.writeString(name).writeBytes(bytes));
  }

  static Map<String, byte[]> readFacts(ByteReader in) {
    int size = in.readCount();
    Map<String, byte[]> facts = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      facts.put(in.readString(), in.readBytes());
    }
    return facts;
  }

  static <V> void writeList(ByteWriter out, List<V> values, BiConsumer<ByteWriter, V> writer) {
    out.writeUnsigned(values.size());
    values.forEach(value -> writer.accept(out, value));
  }

  static <V> List<V> readList(ByteReader in, Function<ByteReader, V> reader) {
    int size = in.readCount();
    List<V> values = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      values.add(reader.apply(in));
    }
    return values;
  }
}

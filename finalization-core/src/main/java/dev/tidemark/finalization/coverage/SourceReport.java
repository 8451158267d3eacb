package dev.tidemark.finalization.coverage;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one reader of a source reports before a checkpoint barrier: positions that match the barrier
 * exactly, end offsets sampled before it, and what was vouched for since the last report.
 *
 * @param coverage positions and samples
 * @param vouches promises that still have to be reached
 */
public record SourceReport(Coverage coverage, List<Vouch> vouches) {
  private static final int VERSION = 1;

  public SourceReport {
    vouches = List.copyOf(vouches);
  }

  /** Version 1: version, coverage bytes, then each vouch's time and end offsets. */
  public byte[] toBytes() {
    ByteWriter out = new ByteWriter().writeByte(VERSION).writeBytes(coverage.toBytes());
    out.writeUnsigned(vouches.size());
    for (Vouch vouch : vouches) {
      out.writeSigned(vouch.promisedMillis()).writeUnsigned(vouch.endOffsets().size());
      vouch.endOffsets().forEach((name, end) -> out.writeString(name).writeUnsigned(end));
    }
    return out.toByteArray();
  }

  /**
   * Reads {@link #toBytes}.
   *
   * @throws IllegalArgumentException if they are truncated, foreign or of a newer version
   */
  public static SourceReport fromBytes(byte[] bytes) {
    ByteReader in = new ByteReader("source report", bytes);
    in.readVersion(VERSION);
    Coverage coverage = Coverage.fromBytes(in.readBytes());
    int size = in.readCount();
    List<Vouch> vouches = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      long promised = in.readSigned();
      int partitions = in.readCount();
      SortedMap<String, Long> ends = new TreeMap<>();
      for (int p = 0; p < partitions; p++) {
        ends.put(in.readString(), in.readUnsigned());
      }
      if (ends.size() != partitions) {
        throw in.corrupt("a partition is named twice");
      }
      vouches.add(new Vouch(promised, ends));
    }
    in.expectEnd();
    return new SourceReport(coverage, vouches);
  }
}

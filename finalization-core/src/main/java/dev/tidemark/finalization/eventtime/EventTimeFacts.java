package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.accumulator.SnapshotCodec;
import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.List;

/**
 * What one writer, or one commit, saw of event time. Immutable.
 *
 * @param times the stream records: count, min, max, quantiles
 * @param setAside the records that do not count for the watermark
 * @param granules the stream records per granule, exact; from these late rows are found again at
 *     each attempt to commit
 */
public record EventTimeFacts(EventTimeSketch times, SetAside setAside, GranuleCounts granules) {
  /** The facts of no record. */
  public static final EventTimeFacts EMPTY =
      new EventTimeFacts(EventTimeSketch.empty(), SetAside.NONE, GranuleCounts.none());

  /**
   * Merges the facts of all writers in one call: the same parts in any order give equal facts; see
   * {@link EventTimeSketch#merge} for another grouping.
   */
  public static EventTimeFacts merge(List<EventTimeFacts> parts) {
    return new EventTimeFacts(
        EventTimeSketch.merge(parts.stream().map(EventTimeFacts::times).toList()),
        SetAside.merge(parts.stream().map(EventTimeFacts::setAside).toList()),
        GranuleCounts.merge(parts.stream().map(EventTimeFacts::granules).toList()));
  }

  /** Whether the commit holds stream records, the only ones that can move a watermark. */
  public boolean hasStreamRecords() {
    return !times.isEmpty();
  }

  /** Version 1: version, sketch bytes, what was set aside, rows per granule. */
  public static final class Codec implements SnapshotCodec<EventTimeFacts> {
    private static final int VERSION = 1;

    @Override
    public byte[] encode(EventTimeFacts facts) {
      SetAside aside = facts.setAside;
      ByteWriter out = new ByteWriter().writeByte(VERSION).writeBytes(facts.times.toBytes());
      out.writeUnsigned(aside.nullCount()).writeUnsigned(aside.invalidCount());
      if (aside.invalidCount() > 0) {
        out.writeSigned(aside.invalidMinMillis()).writeSigned(aside.invalidMaxMillis());
      }
      out.writeUnsigned(aside.snapshotCount()).writeUnsigned(aside.backfillCount());
      facts.granules.writeTo(out);
      return out.toByteArray();
    }

    @Override
    public EventTimeFacts decode(byte[] bytes) {
      ByteReader in = new ByteReader("event-time facts", bytes);
      in.readVersion(VERSION);
      EventTimeSketch times = EventTimeSketch.fromBytes(in.readBytes());
      long nulls = in.readUnsigned();
      long invalid = in.readUnsigned();
      long invalidMin = invalid > 0 ? in.readSigned() : SetAside.NONE.invalidMinMillis();
      long invalidMax = invalid > 0 ? in.readSigned() : SetAside.NONE.invalidMaxMillis();
      SetAside aside =
          new SetAside(
              nulls, invalid, invalidMin, invalidMax, in.readUnsigned(), in.readUnsigned());
      GranuleCounts granules = GranuleCounts.readFrom(in);
      in.expectEnd();
      return new EventTimeFacts(times, aside, granules);
    }
  }
}

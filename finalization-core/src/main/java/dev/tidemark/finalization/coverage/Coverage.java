package dev.tidemark.finalization.coverage;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The expected partitions of a source and where each stands. Partitions are named {@code
 * topic-number}. Immutable and thread-safe.
 *
 * @param partitions by name; every partition that the source is expected to deliver, unless {@code
 *     expected} is greater
 * @param expected how many partitions are expected; greater than the size of {@code partitions}
 *     only in a stored summary, which lists the laggards alone
 */
public record Coverage(SortedMap<String, PartitionProgress> partitions, int expected) {
  /** A store lists every partition up to this many, and above it only the laggards. */
  public static final int MAX_LISTED = 64;

  private static final String SUBJECT = "source coverage";
  private static final int VERSION = 1;
  private static final int FIELDS = 7;

  public Coverage {
    partitions = Collections.unmodifiableSortedMap(new TreeMap<>(partitions));
    if (expected < partitions.size()) {
      throw new IllegalArgumentException(
          "Invalid number of expected partitions: "
              + expected
              + " (expected: at least the "
              + partitions.size()
              + " listed)");
    }
  }

  /** All expected partitions. */
  public static Coverage of(Map<String, PartitionProgress> partitions) {
    return new Coverage(new TreeMap<>(partitions), partitions.size());
  }

  /** What several reports know together; the same in any order and any grouping. */
  public static Coverage merge(Collection<Coverage> reports) {
    SortedMap<String, PartitionProgress> merged = new TreeMap<>();
    int expected = 0;
    for (Coverage report : reports) {
      report.partitions.forEach((name, p) -> merged.merge(name, p, PartitionProgress::merge));
      expected = Math.max(expected, report.expected);
    }
    return new Coverage(merged, Math.max(expected, merged.size()));
  }

  /** What is known of a partition, or null. */
  public @Nullable PartitionProgress partition(String name) {
    return partitions.get(name);
  }

  /** Whether partitions that stood well were left out of this list. */
  public boolean isAbridged() {
    return expected > partitions.size();
  }

  /** The form that a store keeps: all partitions, or above 64 the laggards, the worst first. */
  public Coverage abridged() {
    if (partitions.size() <= MAX_LISTED) {
      return this;
    }
    SortedMap<String, PartitionProgress> laggards = new TreeMap<>();
    partitions.entrySet().stream()
        .filter(entry -> !entry.getValue().standsAtEnd())
        .sorted(Comparator.comparingLong(entry -> -lagOrMost(entry.getValue())))
        .limit(MAX_LISTED)
        .forEach(entry -> laggards.put(entry.getKey(), entry.getValue()));
    return new Coverage(laggards, expected);
  }

  /** Version 1: version, expected, listed, then name and seven optional numbers per partition. */
  public byte[] toBytes() {
    ByteWriter out = new ByteWriter().writeByte(VERSION);
    out.writeUnsigned(expected).writeUnsigned(partitions.size());
    String previousTopic = "";
    Long base = null;
    for (Map.Entry<String, PartitionProgress> entry : partitions.entrySet()) {
      String name = entry.getKey();
      int dash = name.lastIndexOf('-');
      int end = dash < 0 ? name.length() : dash + 1;
      String topic = name.substring(0, end);
      out.writeString(topic.equals(previousTopic) ? "" : topic).writeString(name.substring(end));
      previousTopic = topic;
      base = writeNumbers(out, entry.getValue(), base);
    }
    return out.toByteArray();
  }

  /**
   * Reads {@link #toBytes}.
   *
   * @throws IllegalArgumentException if they are truncated, foreign or of a newer version
   */
  public static Coverage fromBytes(byte[] bytes) {
    return readFrom(new ByteReader(SUBJECT, bytes));
  }

  private static Coverage readFrom(ByteReader in) {
    in.readVersion(VERSION);
    long expected = in.readUnsigned();
    int listed = in.readCount();
    if (expected < listed || expected > Integer.MAX_VALUE) {
      throw in.corrupt(
          expected + " expected partitions (expected: at least the " + listed + " listed)");
    }
    SortedMap<String, PartitionProgress> partitions = new TreeMap<>();
    String topic = "";
    long base = 0;
    for (int i = 0; i < listed; i++) {
      String newTopic = in.readString();
      topic = newTopic.isEmpty() ? topic : newTopic;
      String name = topic + in.readString();
      @Nullable Long[] numbers = readNumbers(in, base);
      base = timeBase(numbers, base);
      partitions.put(
          name,
          new PartitionProgress(
              numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]));
    }
    in.expectEnd();
    if (partitions.size() != listed) {
      throw in.corrupt("a partition is listed twice");
    }
    return new Coverage(partitions, (int) expected);
  }

  /** {@link #abridged} bytes in URL-safe Base64 without padding: what a store keeps. */
  public String toText() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(abridged().toBytes());
  }

  /** Reads {@link #toText}. */
  public static Coverage fromText(String text) {
    return readFrom(ByteReader.ofText(SUBJECT, text));
  }

  private static long lagOrMost(PartitionProgress progress) {
    Long lag = progress.lag();
    return lag == null ? Long.MAX_VALUE : lag;
  }

  /** A bit per number that is there; the end as lag; times as distances from the last time. */
  private static @Nullable Long writeNumbers(
      ByteWriter out, PartitionProgress p, @Nullable Long previousBase) {
    @Nullable Long[] numbers = {
      p.nextOffset(),
      p.endOffset(),
      p.sampledAtMillis(),
      p.maxEventTimeMillis(),
      p.promisedMillis(),
      p.deliveredAtMillis(),
      p.deliveredCommit()
    };
    int present = 0;
    for (int i = 0; i < FIELDS; i++) {
      present |= numbers[i] == null ? 0 : 1 << i;
    }
    out.writeByte(present);
    long base = previousBase == null ? 0 : previousBase;
    long offset = p.nextOffset() == null ? 0 : p.nextOffset();
    for (int i = 0; i < FIELDS; i++) {
      Long number = numbers[i];
      if (number != null) {
        out.writeSigned(number - origin(i, offset, base));
        base = isTime(i) ? number : base;
      }
    }
    return timeBase(numbers, previousBase == null ? 0 : previousBase);
  }

  private static @Nullable Long[] readNumbers(ByteReader in, long previousBase) {
    int present = in.readByte();
    if (present >= 1 << FIELDS) {
      throw in.corrupt("fields " + present + " (expected: less than " + (1 << FIELDS) + ")");
    }
    @Nullable Long[] numbers = new @Nullable Long[FIELDS];
    long base = previousBase;
    for (int i = 0; i < FIELDS; i++) {
      if ((present & (1 << i)) != 0) {
        Long first = numbers[0];
        long offset = first == null ? 0 : first;
        long number = in.readSigned() + origin(i, offset, base);
        numbers[i] = number;
        base = isTime(i) ? number : base;
      }
    }
    return numbers;
  }

  private static boolean isTime(int field) {
    return field >= 2 && field <= 5;
  }

  private static long origin(int field, long offset, long base) {
    return isTime(field) ? base : field == 1 ? offset : 0;
  }

  /** The time from which the next partition's first time is counted: this one's first time. */
  private static long timeBase(@Nullable Long[] numbers, long previousBase) {
    for (int i : List.of(2, 3, 4, 5)) {
      Long number = numbers[i];
      if (number != null) {
        return number;
      }
    }
    return previousBase;
  }
}

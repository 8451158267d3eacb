package dev.tidemark.pipeline.event;

import java.util.HexFormat;

/**
 * The place of a change in the total order of its source: first the transaction's sequence, then
 * the order inside the transaction, then Kafka's partition and offset.
 *
 * <p>All events of one transaction carry one timestamp, and a MariaDB timestamp has whole seconds:
 * time is no order. Binlog file, position and row are none either inside a transaction.
 *
 * <p>{@link #cdcOrd()} writes it as one column of 48 lower-case hexadecimal digits:
 *
 * <pre>
 * digits  0..15  sequence      unsigned 64 bits; 0 for a snapshot row
 * digits 16..23  total order   unsigned 32 bits; 0 for a snapshot row
 * digits 24..31  partition     31 bits
 * digits 32..47  offset        63 bits
 * </pre>
 *
 * Fixed width makes the order of the text, byte by byte, the order of the changes in every engine:
 * Iceberg, Spark, Pinot and Java compare it with their plain {@code >}. No number type has room for
 * it: a long holds the sequence alone, and decimal(38) ends before the offset.
 *
 * <p>A snapshot row sorts below every streamed change, since a GTID sequence starts at 1. That is
 * sound as long as the stream misses nothing since the snapshot; a second snapshot taken to repair
 * a stream with holes does not win over older streamed changes and needs a rebuilt base table.
 *
 * @param sequence the GTID sequence, unsigned; 0 for a snapshot row
 * @param totalOrder Debezium's {@code transaction.total_order}, from 1; 0 for a snapshot row
 */
public record ChangeOrder(long sequence, long totalOrder, int partition, long offset)
    implements Comparable<ChangeOrder> {
  /** The greatest total order that the encoding has room for. */
  public static final long MAX_TOTAL_ORDER = 0xFFFF_FFFFL;

  /** How many digits of {@link #cdcOrd()} are the place in the source. */
  public static final int PLACE_DIGITS = 24;

  private static final HexFormat HEX = HexFormat.of();
  private static final int DIGITS = 48;

  public ChangeOrder {
    if (totalOrder < 0 || totalOrder > MAX_TOTAL_ORDER) {
      throw new IllegalArgumentException(
          "transaction.total_order: %d (expected: 0 to %d)".formatted(totalOrder, MAX_TOTAL_ORDER));
    }
    if (partition < 0 || offset < 0) {
      throw new IllegalArgumentException(
          "Kafka partition and offset: %d, %d (expected: >= 0)".formatted(partition, offset));
    }
  }

  /** The order of a snapshot row: below every streamed change. */
  public static ChangeOrder snapshot(KafkaPosition position) {
    return new ChangeOrder(0, 0, position.partition(), position.offset());
  }

  /**
   * The order of a streamed change.
   *
   * @throws IllegalArgumentException when {@code totalOrder} is not in 1..{@link #MAX_TOTAL_ORDER}
   */
  public static ChangeOrder streamed(Gtid gtid, long totalOrder, KafkaPosition position) {
    if (totalOrder == 0) {
      throw new IllegalArgumentException("transaction.total_order: 0 (expected: >= 1)");
    }
    return new ChangeOrder(gtid.sequence(), totalOrder, position.partition(), position.offset());
  }

  public boolean isSnapshot() {
    return sequence == 0;
  }

  /** The order as one column, see above. */
  public String cdcOrd() {
    return HEX.toHexDigits(sequence)
        + HEX.toHexDigits((int) totalOrder)
        + HEX.toHexDigits(partition)
        + HEX.toHexDigits(offset);
  }

  /**
   * The order that {@link #cdcOrd()} wrote.
   *
   * @throws IllegalArgumentException when it did not
   */
  public static ChangeOrder parse(String cdcOrd) {
    if (cdcOrd.length() != DIGITS) {
      throw new IllegalArgumentException(
          "Invalid cdc_ord: \"%s\" (expected: %d hexadecimal digits)".formatted(cdcOrd, DIGITS));
    }
    return new ChangeOrder(
        HexFormat.fromHexDigitsToLong(cdcOrd, 0, 16),
        HexFormat.fromHexDigitsToLong(cdcOrd, 16, 24),
        HexFormat.fromHexDigits(cdcOrd, 24, 32),
        HexFormat.fromHexDigitsToLong(cdcOrd, 32, DIGITS));
  }

  /** The place in the source: the first {@value #PLACE_DIGITS} digits of {@link #cdcOrd()}. */
  public String place() {
    return HEX.toHexDigits(sequence) + HEX.toHexDigits((int) totalOrder);
  }

  /** The place of the change before this one in its transaction; of the first, none has it. */
  public String previousPlace() {
    return HEX.toHexDigits(sequence) + HEX.toHexDigits((int) (totalOrder - 1));
  }

  /** The place of the change after this one in its transaction. */
  public String nextPlace() {
    return HEX.toHexDigits(sequence) + HEX.toHexDigits((int) (totalOrder + 1));
  }

  /** Compares the places in the source alone: 0 for one change delivered twice. */
  public int compareSource(ChangeOrder other) {
    int bySequence = Long.compareUnsigned(sequence, other.sequence);
    return bySequence != 0 ? bySequence : Long.compare(totalOrder, other.totalOrder);
  }

  @Override
  public int compareTo(ChangeOrder other) {
    int bySource = compareSource(other);
    if (bySource != 0) {
      return bySource;
    }
    int byPartition = Integer.compare(partition, other.partition);
    return byPartition != 0 ? byPartition : Long.compare(offset, other.offset);
  }
}

package dev.tidemark.pipeline.event;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * A position of a MariaDB binlog: between the changes of one transaction and those of the next. Its
 * text, {@code 0-1-42@2026-01-01T10:10:00.123Z}, is what a bootstrap prints and a ledger's source
 * takes.
 *
 * <p>Java serialization carries it to the cluster in the job graph, never into a checkpoint.
 *
 * @param gtid the last transaction in front of the position
 * @param time when that server stood there, by its clock; where to begin looking in Kafka, never an
 *     order: a replica that is behind stands there later than its source wrote the next change
 */
public record BinlogPosition(Gtid gtid, Instant time) implements Serializable {
  private static final char SEPARATOR = '@';

  public BinlogPosition {
    requireNonNull(gtid, "gtid is null");
    requireNonNull(time, "time is null");
  }

  /**
   * Reads what {@link #toString()} wrote.
   *
   * @throws IllegalArgumentException if it did not
   */
  public static BinlogPosition parse(String text) {
    int separator = text.indexOf(SEPARATOR);
    if (separator < 0) {
      throw invalid(text);
    }
    Gtid gtid = Gtid.parse(text.substring(0, separator)).orElseThrow(() -> invalid(text));
    try {
      return new BinlogPosition(gtid, Instant.parse(text.substring(separator + 1)));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(invalid(text).getMessage(), e);
    }
  }

  /** As an order: above every change of that transaction, below every change of the next. */
  public String cdcOrd() {
    return new ChangeOrder(
            gtid.sequence(), ChangeOrder.MAX_TOTAL_ORDER, Integer.MAX_VALUE, Long.MAX_VALUE)
        .cdcOrd();
  }

  /** {@code 0-1-42@2026-01-01T10:10:00.123Z}. */
  @Override
  public String toString() {
    return gtid.toString() + SEPARATOR + time;
  }

  private static IllegalArgumentException invalid(String text) {
    return new IllegalArgumentException(
        "Invalid position: \"%s\" (expected: a GTID and a time, such as 0-1-42@2026-01-01T10:10:00Z; the command bootstrap prints it)"
            .formatted(text));
  }
}

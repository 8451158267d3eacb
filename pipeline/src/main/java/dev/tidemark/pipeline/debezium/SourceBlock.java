package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.ChangeOrigin;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.SourcePoint;
import dev.tidemark.pipeline.event.UnorderableStreamException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the blocks {@code source} and {@code transaction}: where, when and in which order. */
final class SourceBlock {
  private static final Pattern MYSQL_GTID = Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}:.*");

  private SourceBlock() {}

  static ChangeOrigin origin(Fields envelope, Operation operation, KafkaPosition position)
      throws MalformedMessageException, UnorderableStreamException {
    Fields source = envelope.requiredObject("source");
    boolean snapshot = operation == Operation.SNAPSHOT || snapshotFlag(source);
    String gtidText = source.optionalString("gtid");
    boolean unordered = operation == Operation.SNAPSHOT || (snapshot && gtidText == null);
    Gtid gtid = unordered ? null : gtid(source, gtidText, position);
    ChangeOrder order =
        gtid == null ? ChangeOrder.snapshot(position) : streamed(envelope, gtid, position);
    SourcePoint point =
        new SourcePoint(source.requiredString("name"), gtid, timeMicros(source), snapshot);
    return new ChangeOrigin(point, order, position);
  }

  private static boolean snapshotFlag(Fields source) throws MalformedMessageException {
    Object flag = source.get("snapshot");
    if (flag == null || flag instanceof Boolean) {
      return Boolean.TRUE.equals(flag);
    }
    return !source.requiredString("snapshot").equals("false");
  }

  private static Gtid gtid(Fields source, @Nullable String text, KafkaPosition position)
      throws MalformedMessageException, UnorderableStreamException {
    if (text == null) {
      throw new UnorderableStreamException(
          "Cannot order %s: source.gtid is null (expected: domain-server-sequence). Read MariaDB with Debezium's MariaDbConnector from a binary log that carries GTIDs."
              .formatted(position));
    }
    if (MYSQL_GTID.matcher(text).matches()) {
      throw new UnorderableStreamException(
          "Cannot order %s: source.gtid is MySQL's \"%s\" (expected: MariaDB's domain-server-sequence). The order of MySQL GTIDs is not supported."
              .formatted(position, text));
    }
    return Gtid.parse(text)
        .orElseThrow(
            () ->
                MalformedMessageException.expected(
                    source.pathOf("gtid"), text, "domain-server-sequence, say 0-1-42"));
  }

  private static ChangeOrder streamed(Fields envelope, Gtid gtid, KafkaPosition position)
      throws MalformedMessageException, UnorderableStreamException {
    Fields transaction = envelope.optionalObject("transaction");
    if (transaction == null) {
      throw new UnorderableStreamException(
          "Cannot order %s inside transaction %s: the event has no transaction block (expected: transaction.total_order). Set provide.transaction.metadata=true on the Debezium connector."
              .formatted(position, gtid));
    }
    String id = transaction.requiredString("id");
    if (!id.equals(gtid.toString())) {
      throw MalformedMessageException.expected(transaction.pathOf("id"), id, "source.gtid " + gtid);
    }
    long totalOrder = transaction.requiredLong("total_order");
    if (totalOrder < 1 || totalOrder > ChangeOrder.MAX_TOTAL_ORDER) {
      throw MalformedMessageException.expected(
          transaction.pathOf("total_order"), totalOrder, "1 to " + ChangeOrder.MAX_TOTAL_ORDER);
    }
    return ChangeOrder.streamed(gtid, totalOrder, position);
  }

  private static long timeMicros(Fields source) throws MalformedMessageException {
    Long micros = source.optionalLong("ts_us");
    if (micros != null) {
      return micros;
    }
    long millis = source.requiredLong("ts_ms");
    if (Math.abs(millis) > Long.MAX_VALUE / 1000) {
      throw MalformedMessageException.expected(
          source.pathOf("ts_ms"), millis, "milliseconds since the epoch");
    }
    return millis * 1000;
  }
}

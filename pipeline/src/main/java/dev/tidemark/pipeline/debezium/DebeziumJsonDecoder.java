package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeImages;
import dev.tidemark.pipeline.event.ChangeOrigin;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.event.UnorderableStreamException;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.schema.TableSchema;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decodes Debezium's JSON: plain or {@code {schema, payload}}, told apart for each key, value and
 * header. Never throws on what a message holds, see {@link Decoded}. No digit is lost: decimals are
 * {@code BigDecimal}s, never doubles.
 *
 * <p>With a schema, from the message or declared, the images hold typed values; without one they
 * hold the JSON values as they came. One thread: the schemas of messages are cached.
 */
public final class DebeziumJsonDecoder {
  private static final String OLD_KEY = "__debezium.oldkey";
  private static final String NEW_KEY = "__debezium.newkey";

  private final DebeziumFormat format;
  private final ImageDecoder images;
  private final SchemaCache keySchemas = new SchemaCache(ConnectSchema::ofStruct);
  private final SchemaCache envelopeSchemas = new SchemaCache(ConnectSchema::ofEnvelope);

  public DebeziumJsonDecoder(DebeziumFormat format) {
    this.format = format;
    this.images = new ImageDecoder(new UnavailableValue(format.unavailablePlaceholder()));
  }

  /** What the record is. */
  public Decoded decode(KafkaRecord record) {
    byte[] value = record.value();
    if (value == null) {
      return new Decoded.Skipped(SkipReason.TOMBSTONE);
    }
    try {
      return decode(record, Message.read("value", value, envelopeSchemas));
    } catch (UnorderableStreamException e) {
      return new Decoded.Refused(e.reason());
    } catch (MalformedMessageException e) {
      return new Decoded.Malformed("Cannot decode " + record.position() + ": " + e.getMessage());
    }
  }

  private Decoded decode(KafkaRecord record, Message value)
      throws MalformedMessageException, UnorderableStreamException {
    if (value.payload() == null) {
      return new Decoded.Skipped(SkipReason.TOMBSTONE);
    }
    Fields envelope = Fields.of(value.path(), value.payload());
    SkipReason skip = skipReason(envelope);
    return skip != null
        ? new Decoded.Skipped(skip)
        : new Decoded.Change(change(record, envelope, value.schema()));
  }

  private static @Nullable SkipReason skipReason(Fields envelope) throws MalformedMessageException {
    if (envelope.has("op")) {
      return "m".equals(envelope.get("op")) ? SkipReason.MESSAGE : null;
    } else if (envelope.has("status") && envelope.has("id") && envelope.has("event_count")) {
      return SkipReason.TRANSACTION_METADATA;
    } else if (envelope.has("ddl") && envelope.has("databaseName")) {
      return SkipReason.SCHEMA_CHANGE;
    } else if (envelope.object().keySet().equals(Set.of("ts_ms"))) {
      return SkipReason.HEARTBEAT;
    }
    throw new MalformedMessageException(
        envelope.pathOf("op")
            + ": absent (expected: a Debezium envelope; is ExtractNewRecordState on? Switch it off)");
  }

  private ChangeEvent change(KafkaRecord record, Fields envelope, @Nullable TableSchema wire)
      throws MalformedMessageException, UnorderableStreamException {
    Operation operation = operation(envelope);
    Fields source = envelope.requiredObject("source");
    TableId table = new TableId(source.requiredString("db"), source.requiredString("table"));
    ChangeOrigin origin = SourceBlock.origin(envelope, operation, record.position());
    TableSchema declared = format.schemaOf(table);
    Fields before = envelope.optionalObject("before");
    Fields after = envelope.optionalObject("after");
    TableSchema schema = schema(wire, declared);
    RowImage key = key("key", record.key(), declared);
    ChangeImages found =
        new ChangeImages(
            key,
            before == null ? null : images.image(before, schema, after),
            after == null ? null : images.image(after, schema, before),
            key("header " + OLD_KEY, record.header(OLD_KEY), declared),
            key("header " + NEW_KEY, record.header(NEW_KEY), declared));
    requireImages(envelope, operation, found);
    return new ChangeEvent(operation, table, found, origin, false);
  }

  private static Operation operation(Fields envelope) throws MalformedMessageException {
    String op = envelope.requiredString("op");
    return switch (op) {
      case "c" -> Operation.INSERT;
      case "u" -> Operation.UPDATE;
      case "d" -> Operation.DELETE;
      case "r" -> Operation.SNAPSHOT;
      case "t" -> Operation.TRUNCATE;
      default ->
          throw MalformedMessageException.expected(
              envelope.pathOf("op"), op, "one of c, u, d, r, t, m");
    };
  }

  private static void requireImages(Fields envelope, Operation operation, ChangeImages images)
      throws MalformedMessageException {
    if (operation == Operation.DELETE) {
      if (images.before() == null && images.key() == null) {
        throw MalformedMessageException.expected(
            envelope.pathOf("before"), null, "the deleted row, since there is no key either");
      }
    } else if (operation != Operation.TRUNCATE && images.after() == null) {
      throw MalformedMessageException.expected(
          envelope.pathOf("after"), null, "the row after an op " + envelope.get("op"));
    }
  }

  private @Nullable RowImage key(
      String path, byte @Nullable [] json, @Nullable TableSchema declared)
      throws MalformedMessageException {
    if (json == null) {
      return null;
    }
    Message message = Message.read(path, json, keySchemas);
    if (message.payload() == null) {
      return null;
    }
    Fields fields = Fields.of(message.path(), message.payload());
    return ImageDecoder.key(fields, schema(message.schema(), declared));
  }

  private static @Nullable TableSchema schema(
      @Nullable TableSchema wire, @Nullable TableSchema declared) {
    if (wire == null || declared == null) {
      return wire == null ? declared : wire;
    }
    return wire.refinedBy(declared);
  }
}

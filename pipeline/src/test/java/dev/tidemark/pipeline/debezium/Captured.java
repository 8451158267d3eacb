package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.json.JsonReader;
import dev.tidemark.pipeline.json.JsonText;
import dev.tidemark.pipeline.json.MalformedJsonException;
import dev.tidemark.pipeline.kafka.KafkaHeader;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.ColumnType.Kind;
import dev.tidemark.pipeline.schema.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;

/** The events captured from a real MariaDB, as Kafka records; see ORIGIN.md beside them. */
@NullUnmarked
public final class Captured {
  public static final String PLAIN = "curated-plain.jsonl";
  public static final String WITH_SCHEMA = "curated-with-schema.jsonl";
  public static final String STRINGS = "curated-string-isostring.jsonl";
  public static final String TRUNCATE = "truncate.jsonl";

  public static final TableId ORDERS = new TableId("shop", "orders");
  public static final TableId ITEMS = new TableId("shop", "order_items");

  private Captured() {}

  /** The lines of a file as records; a line without partition and offset lies at 0 and its line. */
  public static List<KafkaRecord> records(String file) {
    List<KafkaRecord> records = new ArrayList<>();
    for (String line : lines(file)) {
      records.add(record(line, records.size()));
    }
    return records;
  }

  /** The change events of a file, decoded. */
  public static List<ChangeEvent> events(String file, DebeziumFormat format) {
    DebeziumJsonDecoder decoder = new DebeziumJsonDecoder(format);
    List<ChangeEvent> events = new ArrayList<>();
    for (KafkaRecord record : records(file)) {
      if (decoder.decode(record) instanceof Decoded.Change change) {
        events.add(change.event());
      }
    }
    return events;
  }

  /** What the tables of the plain file look like, as a user would declare it. */
  public static DebeziumFormat declared() {
    return declared(
        ColumnType.decimal(12, 2), ColumnType.decimal(38, 10), ColumnType.decimal(10, 4));
  }

  /** As {@link #declared()} for {@code decimal.handling.mode=string}. */
  public static DebeziumFormat declaredText() {
    return declared(
        ColumnType.decimalText(12, 2),
        ColumnType.decimalText(38, 10),
        ColumnType.decimalText(10, 4));
  }

  private static DebeziumFormat declared(ColumnType amount, ColumnType big, ColumnType price) {
    TableSchema orders =
        TableSchema.of(
            Column.required("id", ColumnType.of(Kind.INT64)),
            Column.required("customer", ColumnType.of(Kind.STRING)),
            Column.required("amount", amount),
            Column.optional("big", big),
            Column.optional("qty", ColumnType.of(Kind.INT64)),
            Column.required("created", ColumnType.of(Kind.DATETIME_MICROS)),
            Column.required("updated", ColumnType.of(Kind.INSTANT)),
            Column.optional("d", ColumnType.of(Kind.DATE)),
            Column.optional("tm", ColumnType.of(Kind.TIME_MICROS)),
            Column.optional("yr", ColumnType.of(Kind.INT32)),
            Column.optional("doc", ColumnType.of(Kind.STRING)),
            Column.optional("payload", ColumnType.of(Kind.BYTES)),
            Column.optional("blobcol", ColumnType.of(Kind.BYTES)),
            Column.optional("flag", ColumnType.of(Kind.INT16)),
            Column.optional("bits", ColumnType.of(Kind.BYTES)),
            Column.optional("st", ColumnType.of(Kind.STRING)),
            Column.optional("tags", ColumnType.of(Kind.STRING)),
            Column.optional("f", ColumnType.of(Kind.FLOAT)),
            Column.optional("dbl", ColumnType.of(Kind.DOUBLE)),
            Column.optional("ubig", ColumnType.of(Kind.INT64)),
            Column.optional("note", ColumnType.of(Kind.STRING)));
    TableSchema items =
        TableSchema.of(
            Column.required("order_id", ColumnType.of(Kind.INT64)),
            Column.required("line_no", ColumnType.of(Kind.INT32)),
            Column.required("sku", ColumnType.of(Kind.STRING)),
            Column.optional("price", price));
    return DebeziumFormat.declaring(Map.of(ORDERS, orders, ITEMS, items));
  }

  /** A record of the given JSON texts; null for none. */
  public static KafkaRecord record(KafkaPosition position, String key, String value) {
    return new KafkaRecord(position, 1L, bytes(key), bytes(value), List.of());
  }

  static List<String> lines(String file) {
    try (InputStream in = Captured.class.getResourceAsStream("/debezium-mariadb/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KafkaRecord record(String line, int number) {
    Map<?, ?> fields = read(line);
    List<KafkaHeader> headers = new ArrayList<>();
    if (fields.get("headers") instanceof Map<?, ?> map) {
      map.forEach((k, v) -> headers.add(new KafkaHeader((String) k, bytes((String) v))));
    }
    return new KafkaRecord(
        new KafkaPosition(
            (String) fields.get("topic"),
            fields.get("partition") instanceof Long p ? p.intValue() : 0,
            fields.get("offset") instanceof Long o ? o : number),
        (Long) fields.get("kafka_ts"),
        json(fields.get("key")),
        json(fields.get("value")),
        headers);
  }

  private static Map<?, ?> read(String line) {
    try {
      return (Map<?, ?>) JsonReader.read(line);
    } catch (MalformedJsonException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] json(Object value) {
    return value == null ? null : bytes(JsonText.of(value));
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}

package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.ColumnType.Kind;
import dev.tidemark.pipeline.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the Connect schema of a {@code {schema, payload}} message. */
final class ConnectSchema {
  private static final Map<String, Kind> NAMED =
      Map.ofEntries(
          Map.entry("io.debezium.data.VariableScaleDecimal", Kind.VARIABLE_DECIMAL),
          Map.entry("io.debezium.time.Date", Kind.DATE),
          Map.entry("io.debezium.time.IsoDate", Kind.DATE),
          Map.entry("org.apache.kafka.connect.data.Date", Kind.DATE),
          Map.entry("io.debezium.time.Time", Kind.TIME_MILLIS),
          Map.entry("org.apache.kafka.connect.data.Time", Kind.TIME_MILLIS),
          Map.entry("io.debezium.time.MicroTime", Kind.TIME_MICROS),
          Map.entry("io.debezium.time.NanoTime", Kind.TIME_NANOS),
          Map.entry("io.debezium.time.IsoTime", Kind.TIME_NANOS),
          Map.entry("io.debezium.time.Timestamp", Kind.DATETIME_MILLIS),
          Map.entry("org.apache.kafka.connect.data.Timestamp", Kind.DATETIME_MILLIS),
          Map.entry("io.debezium.time.MicroTimestamp", Kind.DATETIME_MICROS),
          Map.entry("io.debezium.time.NanoTimestamp", Kind.DATETIME_NANOS),
          Map.entry("io.debezium.time.IsoTimestamp", Kind.DATETIME_NANOS),
          Map.entry("io.debezium.time.ZonedTimestamp", Kind.INSTANT));

  private static final Map<String, Kind> PLAIN =
      Map.of(
          "boolean", Kind.BOOLEAN,
          "int8", Kind.INT8,
          "int16", Kind.INT16,
          "int32", Kind.INT32,
          "int64", Kind.INT64,
          "float", Kind.FLOAT,
          "double", Kind.DOUBLE,
          "string", Kind.STRING,
          "bytes", Kind.BYTES);

  private static final String DECIMAL = "org.apache.kafka.connect.data.Decimal";

  private ConnectSchema() {}

  /** The columns of a struct: a key, or one of the images. */
  static TableSchema ofStruct(Fields struct) throws MalformedMessageException {
    List<Column> columns = new ArrayList<>();
    for (Fields field : fields(struct)) {
      boolean nullable = Boolean.TRUE.equals(field.get("optional"));
      columns.add(new Column(field.requiredString("field"), type(field), nullable));
    }
    try {
      return TableSchema.of(columns);
    } catch (IllegalArgumentException twice) {
      throw new MalformedMessageException(struct.path() + ": " + twice.getMessage());
    }
  }

  /** The columns of the images of an envelope; null when it is no change event's. */
  static @Nullable TableSchema ofEnvelope(Fields envelope) throws MalformedMessageException {
    for (Fields field : fields(envelope)) {
      Object name = field.get("field");
      if ("after".equals(name) || "before".equals(name)) {
        return ofStruct(field);
      }
    }
    return null;
  }

  private static List<Fields> fields(Fields struct) throws MalformedMessageException {
    if (!(struct.get("fields") instanceof List<?> list)) {
      throw MalformedMessageException.expected(
          struct.pathOf("fields"), struct.get("fields"), "an array");
    }
    List<Fields> fields = new ArrayList<>(list.size());
    for (int i = 0; i < list.size(); i++) {
      fields.add(Fields.of(struct.pathOf("fields[" + i + "]"), list.get(i)));
    }
    return fields;
  }

  private static ColumnType type(Fields field) throws MalformedMessageException {
    String name = field.optionalString("name");
    if (DECIMAL.equals(name)) {
      return decimal(field);
    }
    Kind named = name == null ? null : NAMED.get(name);
    Kind plain = PLAIN.get(field.requiredString("type"));
    return ColumnType.of(named != null ? named : plain != null ? plain : Kind.RAW);
  }

  private static ColumnType decimal(Fields field) throws MalformedMessageException {
    Fields parameters = field.requiredObject("parameters");
    int scale = number(parameters, "scale", 0);
    int precision = number(parameters, "connect.decimal.precision", ColumnType.MAX_PRECISION);
    try {
      return ColumnType.decimal(precision, scale);
    } catch (IllegalArgumentException e) {
      throw new MalformedMessageException(parameters.path() + ": " + e.getMessage());
    }
  }

  private static int number(Fields parameters, String name, int absent)
      throws MalformedMessageException {
    String text = parameters.optionalString(name);
    try {
      return text == null ? absent : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw MalformedMessageException.expected(parameters.pathOf(name), text, "an integer");
    }
  }
}

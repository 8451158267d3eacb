package dev.tidemark.pinot.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/** Values of Avro's generic records as plain Java values. */
final class AvroValues {
  private AvroValues() {}

  static @Nullable Object plain(@Nullable Object value, Schema schema) {
    if (value == null) {
      return null;
    }
    if (schema.getType() == Schema.Type.UNION) {
      int branch = GenericData.get().resolveUnion(schema, value);
      return plain(value, schema.getTypes().get(branch));
    }
    LogicalType logical = schema.getLogicalType();
    return logical == null ? physical(value, schema) : logical(value, schema, logical);
  }

  private static Object physical(Object value, Schema schema) {
    if (value instanceof CharSequence || value instanceof GenericEnumSymbol) {
      return value.toString();
    }
    if (value instanceof ByteBuffer || value instanceof GenericFixed) {
      return bytes(value);
    }
    if (value instanceof GenericRecord record) {
      return record(record);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> plain = new HashMap<>();
      map.forEach((key, each) -> plain.put(key.toString(), plain(each, schema.getValueType())));
      return plain;
    }
    if (value instanceof Collection<?> several) {
      List<@Nullable Object> plain = new ArrayList<>(several.size());
      several.forEach(each -> plain.add(plain(each, schema.getElementType())));
      return plain;
    }
    return value;
  }

  private static Object logical(Object value, Schema schema, LogicalType type) {
    if (type instanceof LogicalTypes.Decimal decimal && !(value instanceof BigDecimal)) {
      return new BigDecimal(new BigInteger(bytes(value)), decimal.getScale());
    }
    if (!(value instanceof Number number)) {
      return physical(value, schema);
    }
    long count = number.longValue();
    return switch (type.getName()) {
      case "date" -> LocalDate.ofEpochDay(count);
      case "timestamp-millis" -> Instant.ofEpochMilli(count);
      case "timestamp-micros" -> Instant.EPOCH.plus(count, ChronoUnit.MICROS);
      case "timestamp-nanos" -> Instant.EPOCH.plusNanos(count);
      case "local-timestamp-millis" -> local(Instant.ofEpochMilli(count));
      case "local-timestamp-micros" -> local(Instant.EPOCH.plus(count, ChronoUnit.MICROS));
      case "local-timestamp-nanos" -> local(Instant.EPOCH.plusNanos(count));
      default -> value;
    };
  }

  private static LocalDateTime local(Instant instant) {
    return LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private static Map<String, @Nullable Object> record(GenericRecord record) {
    Map<String, @Nullable Object> plain = new HashMap<>();
    for (Schema.Field field : record.getSchema().getFields()) {
      plain.put(field.name(), plain(record.get(field.pos()), field.schema()));
    }
    return plain;
  }

  private static byte[] bytes(Object value) {
    if (value instanceof GenericFixed fixed) {
      return fixed.bytes().clone();
    }
    ByteBuffer buffer = ((ByteBuffer) value).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}

package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.json.JsonFraction;
import dev.tidemark.pipeline.json.JsonText;
import dev.tidemark.pipeline.json.RawJson;
import dev.tidemark.pipeline.schema.ColumnType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns the JSON of one column into the value of its type, exactly or not at all. */
final class ValueDecoder {
  private ValueDecoder() {}

  /** The value of a column of a known type. */
  static @Nullable Object decode(String field, @Nullable Object json, ColumnType type)
      throws MalformedMessageException {
    if (json == null) {
      return null;
    }
    return switch (type.kind()) {
      case BOOLEAN -> bool(field, json);
      case INT8 -> integer(field, json, type, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case INT16 -> integer(field, json, type, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT32 -> integer(field, json, type, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT64 -> integer(field, json, type, Long.MIN_VALUE, Long.MAX_VALUE);
      case UINT64 -> unsigned(field, json, type);
      case FLOAT -> floating(field, json).floatValue();
      case DOUBLE -> floating(field, json);
      case DECIMAL -> decimal(field, json, type);
      case DECIMAL_TEXT -> decimalText(field, json, type);
      case VARIABLE_DECIMAL -> variableDecimal(field, json);
      case STRING -> string(field, json, "a string");
      case BYTES -> ByteBuffer.wrap(base64(field, json, "base64 of a binary")).asReadOnlyBuffer();
      case RAW -> untyped(json);
      default -> TemporalDecoder.decode(field, json, type);
    };
  }

  /** The value of a column of no known type: its JSON value, objects and arrays as text. */
  static @Nullable Object untyped(@Nullable Object json) {
    return json instanceof Map || json instanceof List ? new RawJson(JsonText.of(json)) : json;
  }

  static String string(String field, Object json, String expected)
      throws MalformedMessageException {
    if (json instanceof String text) {
      return text;
    }
    throw MalformedMessageException.expected(field, json, expected);
  }

  private static Boolean bool(String field, Object json) throws MalformedMessageException {
    if (json instanceof Boolean value) {
      return value;
    }
    throw MalformedMessageException.expected(field, json, "true or false");
  }

  private static Long integer(String field, Object json, ColumnType type, long min, long max)
      throws MalformedMessageException {
    if (json instanceof Long value && value >= min && value <= max) {
      return value;
    }
    throw MalformedMessageException.expected(field, json, "an " + type);
  }

  private static BigDecimal unsigned(String field, Object json, ColumnType type)
      throws MalformedMessageException {
    long bits = integer(field, json, type, Long.MIN_VALUE, Long.MAX_VALUE);
    return new BigDecimal(new BigInteger(Long.toUnsignedString(bits)));
  }

  private static Double floating(String field, Object json) throws MalformedMessageException {
    boolean number =
        json instanceof JsonFraction || json instanceof Long || json instanceof BigInteger;
    double value = number ? Double.parseDouble(json.toString()) : Double.NaN;
    if (Double.isFinite(value)) {
      return value;
    }
    throw MalformedMessageException.expected(field, json, "a finite number");
  }

  private static BigDecimal decimal(String field, Object json, ColumnType type)
      throws MalformedMessageException {
    String expected =
        "base64 of the unscaled bytes of a "
            + type
            + ", decimal.handling.mode=precise; declare decimal_text for mode string, and do not"
            + " use mode double";
    byte[] unscaled = base64(field, json, expected);
    if (unscaled.length == 0) {
      throw MalformedMessageException.expected(field, json, expected);
    }
    BigDecimal value = new BigDecimal(new BigInteger(unscaled), type.scale());
    return fitting(field, json, value, type);
  }

  private static BigDecimal decimalText(String field, Object json, ColumnType type)
      throws MalformedMessageException {
    String expected = "the text of a " + type + ", decimal.handling.mode=string";
    String text = string(field, json, expected);
    if (text.length() > 2 * ColumnType.MAX_PRECISION
        || text.indexOf('e') + text.indexOf('E') > -2) {
      throw MalformedMessageException.expected(field, json, expected);
    }
    try {
      BigDecimal exact = new BigDecimal(text);
      return fitting(field, json, exact.setScale(type.scale()), type);
    } catch (ArithmeticException | NumberFormatException e) {
      throw MalformedMessageException.expected(field, json, expected);
    }
  }

  private static BigDecimal fitting(String field, Object json, BigDecimal value, ColumnType type)
      throws MalformedMessageException {
    if (value.precision() > type.precision() && value.signum() != 0) {
      throw MalformedMessageException.expected(
          field, json, "a " + type + ", not the " + value.precision() + " digits of " + value);
    }
    return value;
  }

  private static BigDecimal variableDecimal(String field, Object json)
      throws MalformedMessageException {
    Fields struct = Fields.of(field, json);
    long scale = struct.requiredLong("scale");
    if (Math.abs(scale) > Short.MAX_VALUE) {
      throw MalformedMessageException.expected(struct.pathOf("scale"), scale, "a 16-bit integer");
    }
    String text = struct.requiredString("value");
    byte[] unscaled = base64(struct.pathOf("value"), text, "base64 of unscaled bytes");
    if (unscaled.length == 0) {
      throw MalformedMessageException.expected(
          struct.pathOf("value"), text, "base64 of unscaled bytes");
    }
    return new BigDecimal(new BigInteger(unscaled), (int) scale);
  }

  private static byte[] base64(String field, Object json, String expected)
      throws MalformedMessageException {
    try {
      return Base64.getDecoder().decode(string(field, json, expected));
    } catch (IllegalArgumentException e) {
      throw MalformedMessageException.expected(field, json, expected);
    }
  }
}

package dev.tidemark.pipeline.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as canonical JSON: no white space, columns in their order, one spelling per value.
 *
 * <p>Exact and safe in readers that know doubles alone: a typed decimal is a string with its scale
 * ({@code "12.50"}); bytes are base64; dates and times are ISO text without trailing zeros ({@code
 * "2024-02-29T23:59:59.123456"}, an instant with {@code Z}); a time is {@code
 * [-]hh:mm:ss[.fraction]} and may exceed 24 hours as in MySQL. A number that was read from JSON,
 * {@link JsonReader}, stays a JSON number.
 */
public final class JsonText {
  private JsonText() {}

  /**
   * The JSON of a value: null, {@code Map}, {@code List}, {@link RawJson}, {@link JsonFraction} or
   * any value of a row image.
   *
   * @throws IllegalArgumentException for another type
   */
  public static String of(@Nullable Object value) {
    StringBuilder out = new StringBuilder(64);
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      appendObject(out, map);
    } else if (value instanceof List<?> list) {
      appendArray(out, list);
    } else if (value == null
        || value instanceof Boolean
        || value instanceof Long
        || value instanceof BigInteger
        || value instanceof JsonFraction
        || value instanceof RawJson) {
      out.append(value);
    } else if (value instanceof Double || value instanceof Float) {
      out.append(JsonFraction.parse(value.toString()));
    } else {
      appendString(out, text(value));
    }
  }

  private static void appendObject(StringBuilder out, Map<?, ?> map) {
    char separator = '{';
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      appendString(out.append(separator), (String) entry.getKey());
      append(out.append(':'), entry.getValue());
      separator = ',';
    }
    out.append(map.isEmpty() ? "{}" : "}");
  }

  private static void appendArray(StringBuilder out, List<?> list) {
    char separator = '[';
    for (Object element : list) {
      append(out.append(separator), element);
      separator = ',';
    }
    out.append(list.isEmpty() ? "[]" : "]");
  }

  private static void appendString(StringBuilder out, String text) {
    out.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, out);
    out.append('"');
  }

  /** The text of a value that JSON writes as a string. */
  private static String text(Object value) {
    if (value instanceof String string) {
      return string;
    } else if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    } else if (value instanceof ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      return Base64.getEncoder().encodeToString(copy);
    } else if (value instanceof LocalDate date) {
      return date.toString();
    } else if (value instanceof LocalDateTime dateTime) {
      return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(dateTime);
    } else if (value instanceof Instant instant) {
      LocalDateTime utc = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
      return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(utc) + "Z";
    } else if (value instanceof Duration time) {
      return time(time);
    }
    throw new IllegalArgumentException(
        "Cannot write a "
            + value.getClass().getName()
            + " as JSON (expected: a row image's value)");
  }

  private static String time(Duration time) {
    Duration absolute = time.abs();
    String seconds =
        "%s%02d:%02d:%02d"
            .formatted(
                time.isNegative() ? "-" : "",
                absolute.toHours(),
                absolute.toMinutesPart(),
                absolute.toSecondsPart());
    int nanos = absolute.toNanosPart();
    return nanos == 0 ? seconds : seconds + ("." + "%09d".formatted(nanos)).replaceAll("0+$", "");
  }
}

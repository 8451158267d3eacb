package dev.tidemark.pipeline.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON document into {@code Map<String, Object>} (ordered), {@code List}, {@code String},
 * {@code Boolean}, {@code Long}, {@code BigInteger}, {@link JsonFraction} and null. Half a
 * surrogate pair, a repeated field and text behind the document are errors. Thread-safe.
 */
public final class JsonReader {
  private static final int MAX_DEPTH = 64;

  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private JsonReader() {}

  /** The value of a whole document. */
  public static @Nullable Object read(byte[] utf8) throws MalformedJsonException {
    return read(utf8, null);
  }

  /** The value of a whole document. */
  public static @Nullable Object read(String json) throws MalformedJsonException {
    try (JsonParser parser = FACTORY.createParser(json)) {
      return document(parser, null, null);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot close a parser over memory", e);
    }
  }

  /**
   * The value of a whole document in which an object under the top-level field {@code skipped} is
   * not read but kept as a {@link JsonSlice}.
   */
  public static @Nullable Object read(byte[] utf8, @Nullable String skipped)
      throws MalformedJsonException {
    try (JsonParser parser = FACTORY.createParser(utf8)) {
      return document(parser, skipped, utf8);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot close a parser over memory", e);
    }
  }

  private static @Nullable Object document(
      JsonParser parser, @Nullable String skipped, byte @Nullable [] utf8)
      throws MalformedJsonException {
    try {
      if (parser.nextToken() == null) {
        throw new MalformedJsonException("", "empty (expected: a JSON document)");
      }
      Object value =
          skipped != null && utf8 != null && parser.currentToken() == JsonToken.START_OBJECT
              ? objectWithSlice(parser, skipped, utf8)
              : value(parser);
      if (parser.nextToken() != null) {
        throw new MalformedJsonException("", "more text after the end of the JSON document");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new MalformedJsonException(path(parser), "no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new MalformedJsonException(path(parser), "no JSON: " + e.getMessage());
    }
  }

  private static Object objectWithSlice(JsonParser parser, String skipped, byte[] utf8)
      throws IOException, MalformedJsonException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      boolean slice = parser.nextToken() == JsonToken.START_OBJECT && name.equals(skipped);
      put(parser, object, name, slice ? slice(parser, utf8) : value(parser));
    }
    return object;
  }

  private static JsonSlice slice(JsonParser parser, byte[] utf8) throws IOException {
    int from = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int to = (int) parser.currentLocation().getByteOffset();
    return new JsonSlice(ByteBuffer.wrap(utf8, from, to - from).slice());
  }

  private static @Nullable Object value(JsonParser parser)
      throws IOException, MalformedJsonException {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.START_OBJECT) {
      return object(parser);
    } else if (token == JsonToken.START_ARRAY) {
      return array(parser);
    } else if (token == JsonToken.VALUE_STRING) {
      return wellFormed(parser, parser.getText());
    } else if (token == JsonToken.VALUE_NUMBER_INT) {
      return integer(parser);
    } else if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      return fraction(parser);
    }
    return token == JsonToken.VALUE_NULL ? null : Boolean.valueOf(token == JsonToken.VALUE_TRUE);
  }

  private static Object object(JsonParser parser) throws IOException, MalformedJsonException {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      put(parser, object, name, value(parser));
    }
    return object;
  }

  private static void put(
      JsonParser parser, Map<String, @Nullable Object> object, String name, @Nullable Object value)
      throws MalformedJsonException {
    wellFormed(parser, name);
    if (object.containsKey(name)) {
      throw new MalformedJsonException(path(parser), "field \"" + name + "\" occurs twice");
    }
    object.put(name, value);
  }

  /**
   * UTF-8 has no form for half a surrogate pair, which an escape can spell: it would become "?".
   */
  private static String wellFormed(JsonParser parser, String text) throws MalformedJsonException {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean pair = i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1));
        if (!pair) {
          throw new MalformedJsonException(
              path(parser),
              "half a surrogate pair at character " + i + " (expected: Unicode text)");
        }
        i++;
      }
    }
    return text;
  }

  private static Object array(JsonParser parser) throws IOException, MalformedJsonException {
    List<@Nullable Object> array = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser));
    }
    return array;
  }

  private static Object integer(JsonParser parser) throws IOException {
    String text = parser.getText();
    if (text.equals("-0")) {
      return JsonFraction.parse("-0");
    }
    return text.length() <= 18 ? (Object) Long.parseLong(text) : narrow(new BigInteger(text));
  }

  private static Object narrow(BigInteger value) {
    return value.bitLength() <= 63 ? (Object) value.longValueExact() : value;
  }

  private static Object fraction(JsonParser parser) throws IOException, MalformedJsonException {
    try {
      return JsonFraction.parse(parser.getText());
    } catch (NumberFormatException e) {
      throw new MalformedJsonException(
          path(parser), "number " + parser.getText() + " out of range");
    }
  }

  private static String path(JsonParser parser) {
    String pointer = parser.getParsingContext().pathAsPointer().toString();
    return pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.');
  }
}

package dev.tidemark.spark.merge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.Serializable;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a row image must look like to fill the values of a base table: a JSON object with one member
 * per column. A member that is missing means that the source did not say.
 */
final class ImageShape implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final JsonFactory JSON = new JsonFactory();

  private final HashMap<String, Integer> values = new HashMap<>();
  private final HashSet<String> ignored;

  /**
   * @param values the columns to fill, in their order
   * @param ignored members that have no column on purpose: the key, and what the user names
   */
  ImageShape(List<String> values, Set<String> ignored) {
    for (String value : values) {
      this.values.put(value, this.values.size());
    }
    this.ignored = new HashSet<>(ignored);
  }

  int size() {
    return values.size();
  }

  /**
   * Whether the image says something of every column.
   *
   * @throws IllegalArgumentException if it is no JSON object, or has a member without a column
   */
  boolean isWhole(String image) {
    int found = 0;
    try (JsonParser parser = begin(image)) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        found += position(parser.currentName(), image) == null ? 0 : 1;
        parser.nextToken();
        parser.skipChildren();
      }
    } catch (IOException e) {
      throw noImage(image, e);
    }
    return found == values.size();
  }

  /**
   * Overlays the columns that the image names.
   *
   * @param texts their values as text, null for null
   * @param known set to true for each of them
   */
  void overlay(String image, @Nullable String[] texts, boolean[] known) {
    try (JsonParser parser = begin(image)) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        Integer position = position(parser.currentName(), image);
        parser.nextToken();
        if (position == null) {
          parser.skipChildren();
        } else {
          known[position] = true;
          texts[position] = text(parser);
        }
      }
    } catch (IOException e) {
      throw noImage(image, e);
    }
  }

  /** The image with the columns that it leaves out, as they are in {@code texts}. */
  String completed(String image, @Nullable String[] texts) {
    boolean[] known = new boolean[size()];
    overlay(image, new String[size()], known);
    StringWriter whole = new StringWriter();
    try (JsonParser parser = begin(image);
        JsonGenerator generator = JSON.createGenerator(whole)) {
      generator.writeStartObject();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        generator.copyCurrentStructureExact(parser);
      }
      for (Map.Entry<String, Integer> value : values.entrySet()) {
        if (!known[value.getValue()]) {
          generator.writeStringField(value.getKey(), texts[value.getValue()]);
        }
      }
      generator.writeEndObject();
    } catch (IOException e) {
      throw noImage(image, e);
    }
    return whole.toString();
  }

  private static JsonParser begin(String image) throws IOException {
    JsonParser parser = JSON.createParser(image);
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw noImage(image, null);
    }
    return parser;
  }

  private @Nullable Integer position(String member, String image) {
    Integer position = values.get(member);
    if (position == null && !ignored.contains(member)) {
      throw new IllegalArgumentException(
          "Cannot merge: column %s of an image has no column in the base table (expected: one of %s). Add it with ALTER TABLE, or name it as ignored. Image: %s"
              .formatted(member, values.keySet(), image));
    }
    return position;
  }

  private static @Nullable String text(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_NULL -> null;
      case START_OBJECT, START_ARRAY -> nested(parser);
      default -> parser.getText();
    };
  }

  private static String nested(JsonParser parser) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = JSON.createGenerator(text)) {
      generator.copyCurrentStructureExact(parser);
    }
    return text.toString();
  }

  private static IllegalArgumentException noImage(String image, @Nullable IOException cause) {
    return new IllegalArgumentException(
        "Cannot merge: image " + image + " (expected: a JSON object)", cause);
  }
}

package dev.tidemark.pinot.controller;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The one mapper; numbers keep every digit. */
final class Json {
  static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private Json() {}

  static JsonNode read(String what, String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      String start = text.substring(0, Math.min(text.length(), 200));
      throw new PinotUnavailableException(
          "Cannot "
              + what
              + ": the answer is no JSON: "
              + start
              + " (expected: the controller's; see whether the URL is that of a controller)",
          e);
    }
  }

  static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write JSON", e);
    }
  }

  static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(item -> texts.add(item.asText()));
    return texts;
  }

  static Map<String, String> textMap(JsonNode object) {
    Map<String, String> map = new LinkedHashMap<>();
    object.properties().forEach(field -> map.put(field.getKey(), field.getValue().asText()));
    return map;
  }
}

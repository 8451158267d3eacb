package dev.tidemark.pipeline.debezium;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object with its place in the message, so that an error can name the field. */
record Fields(String path, Map<String, @Nullable Object> object) {
  /** The object at a path; an error when the value is something else. */
  @SuppressWarnings("unchecked") // JsonReader makes maps of this type alone
  static Fields of(String path, @Nullable Object value) throws MalformedMessageException {
    if (value instanceof Map<?, ?> map) {
      return new Fields(path, (Map<String, @Nullable Object>) map);
    }
    throw MalformedMessageException.expected(path, value, "a JSON object");
  }

  @Nullable Object get(String name) {
    return object.get(name);
  }

  boolean has(String name) {
    return object.containsKey(name);
  }

  String pathOf(String name) {
    return path + "." + name;
  }

  /** The object in a field; null when it is null or absent. */
  @Nullable Fields optionalObject(String name) throws MalformedMessageException {
    Object value = get(name);
    return value == null ? null : of(pathOf(name), value);
  }

  Fields requiredObject(String name) throws MalformedMessageException {
    return of(pathOf(name), get(name));
  }

  String requiredString(String name) throws MalformedMessageException {
    if (get(name) instanceof String text) {
      return text;
    }
    throw MalformedMessageException.expected(pathOf(name), get(name), "a string");
  }

  @Nullable String optionalString(String name) throws MalformedMessageException {
    return get(name) == null ? null : requiredString(name);
  }

  long requiredLong(String name) throws MalformedMessageException {
    if (get(name) instanceof Long number) {
      return number;
    }
    throw MalformedMessageException.expected(pathOf(name), get(name), "a 64-bit integer");
  }

  @Nullable Long optionalLong(String name) throws MalformedMessageException {
    return get(name) == null ? null : (Long) requiredLong(name);
  }
}

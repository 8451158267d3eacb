package dev.tidemark.pipeline.debezium;

import org.jspecify.annotations.Nullable;

/** A field that is not what it must be. */
final class MalformedMessageException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 80;

  MalformedMessageException(String message) {
    super(message);
  }

  /** Says {@code field: value (expected: expected)}; a long value is shortened. */
  static MalformedMessageException expected(String field, @Nullable Object value, String expected) {
    String text = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    return new MalformedMessageException(field + ": " + shown + " (expected: " + expected + ")");
  }
}

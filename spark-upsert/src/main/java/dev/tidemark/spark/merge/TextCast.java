package dev.tidemark.spark.merge;

import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * SQL that turns the text of an image's member into a base column's type, and fails where the type
 * would hold less than the text says; and a base column into such a text.
 */
final class TextCast {
  private TextCast() {}

  /**
   * The expression.
   *
   * @throws IllegalArgumentException for a type that an image has no text for
   */
  static String sql(String text, NestedField column) {
    return switch (column.type().typeId()) {
      case STRING -> text;
      case BINARY -> "unbase64(" + text + ")";
      default -> "CAST(" + exact(text, column) + " AS " + sparkType(column) + ")";
    };
  }

  /** The expression for a text that {@link #sql} turns into the column's very value. */
  static String text(String value, NestedField column) {
    return switch (column.type().typeId()) {
      case STRING -> value;
      case BINARY -> "base64(" + value + ")";
      case TIMESTAMP -> timestampText(value, (Types.TimestampType) column.type());
      default -> "CAST(" + value + " AS STRING)";
    };
  }

  /** With the offset of its zone: where clocks go back, local times come twice. */
  private static String timestampText(String value, Types.TimestampType type) {
    return type.shouldAdjustToUTC()
        ? "date_format(" + value + ", \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX\")"
        : "CAST(" + value + " AS STRING)";
  }

  private static String exact(String text, NestedField column) {
    return ExactText.isNeeded(column.type())
        ? "%s('%s', %s)"
            .formatted(
                ImageFunctions.EXACT, column.name().replace("\\", "\\\\").replace("'", "\\'"), text)
        : text;
  }

  private static String sparkType(NestedField column) {
    Type type = column.type();
    return switch (type.typeId()) {
      case BOOLEAN -> "BOOLEAN";
      case INTEGER -> "INT";
      case LONG -> "BIGINT";
      case FLOAT -> "FLOAT";
      case DOUBLE -> "DOUBLE";
      case DATE -> "DATE";
      case DECIMAL ->
          "DECIMAL(%d, %d)"
              .formatted(
                  ((Types.DecimalType) type).precision(), ((Types.DecimalType) type).scale());
      case TIMESTAMP ->
          ((Types.TimestampType) type).shouldAdjustToUTC() ? "TIMESTAMP" : "TIMESTAMP_NTZ";
      default ->
          throw new IllegalArgumentException(
              "Cannot merge into column %s of type %s (expected: boolean, int, long, float, double, decimal, date, timestamp, string or binary)"
                  .formatted(column.name(), type));
    };
  }
}

package dev.tidemark.spark.merge;

import dev.tidemark.spark.table.TableName;
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
   * The expression; null for null. A text that is no value of the type fails with our words: those
   * of Spark name no column, and advise to switch ANSI off, which gives null.
   *
   * @param table the base table
   * @throws IllegalArgumentException for a type that an image has no text for
   */
  static String sql(TableName table, String text, NestedField column) {
    return switch (column.type().typeId()) {
      case STRING -> text;
      case BINARY -> orRefused("try_to_binary(" + text + ", 'base64')", table, text, column);
      default ->
          orRefused(
              "try_cast(" + exact(table, text, column) + " AS " + sparkType(column) + ")",
              table,
              text,
              column);
    };
  }

  private static String orRefused(String value, TableName table, String text, NestedField column) {
    return "coalesce(%s, CAST(%s AS %s))"
        .formatted(value, call(ImageFunctions.REFUSED, table, text, column), sparkType(column));
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

  private static String exact(TableName table, String text, NestedField column) {
    return ExactText.isNeeded(column.type())
        ? call(ImageFunctions.EXACT, table, text, column)
        : text;
  }

  private static String call(String function, TableName table, String text, NestedField column) {
    return "%s('%s', '%s', %s)"
        .formatted(function, escaped(table.toString()), escaped(column.name()), text);
  }

  private static String escaped(String name) {
    return name.replace("\\", "\\\\").replace("'", "\\'");
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
      case BINARY -> "BINARY";
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

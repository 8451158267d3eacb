package dev.tidemark.pinot.segment;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A row cannot be stored as the table's schema and configuration ask. It is the row's fault alone:
 * the buffer is as it was before, and other rows go on.
 */
public final class RejectedRowException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 200;

  private final Reason reason;
  private final @Nullable String column;
  private final @Nullable String shownValue;

  /** What is wrong with a row. */
  public enum Reason {
    /** The time column holds no value, or none that its format can read, or one out of range. */
    BAD_TIME,
    /** A value cannot be converted to the type of its column. */
    NOT_CONVERTIBLE,
    /** A value is longer than its column, or a buffer, can take. */
    TOO_LARGE,
    /** A transform or a filter of the table's ingestion configuration failed. */
    TRANSFORM_FAILED,
    /** The table cannot take an update or a deletion. */
    CHANGE_REFUSED
  }

  RejectedRowException(
      Reason reason,
      String what,
      @Nullable String column,
      @Nullable Object value,
      @Nullable Throwable cause) {
    super(message(what, column, value, cause), cause);
    this.reason = reason;
    this.column = column;
    this.shownValue = shown(value);
  }

  /** A change of a kind that the table cannot take. */
  public static RejectedRowException changeRefused(String message) {
    return new RejectedRowException(Reason.CHANGE_REFUSED, message, null, null, null);
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }

  /** The column at fault; null if it is not one column's. */
  public @Nullable String column() {
    return column;
  }

  /** The value at fault as text, cut to 200 characters; null if there is none. */
  public @Nullable String value() {
    return shownValue;
  }

  private static String message(
      String what, @Nullable String column, @Nullable Object value, @Nullable Throwable cause) {
    String where = column == null ? "" : " in column \"" + column + "\": " + shown(value);
    String why = cause == null ? "" : " (" + root(cause) + ")";
    return what + where + why;
  }

  private static @Nullable String shown(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    String text = value instanceof byte[] bytes ? bytes.length + " bytes" : text(value);
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }

  private static String text(Object value) {
    String text = value instanceof Object[] array ? Arrays.toString(array) : value + "";
    return text + " of " + value.getClass().getSimpleName();
  }

  private static String root(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return message == null ? root.getClass().getSimpleName() : message;
  }
}

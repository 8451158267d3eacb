package dev.tidemark.spark.merge;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * Whether a type holds all that a text says. Spark's casts of text round decimals and cut times off
 * without a word, in ANSI mode too.
 */
final class ExactText {
  private static final Pattern FRACTION_OF_SECOND = Pattern.compile(":\\d+\\.(\\d+)");
  private static final Pattern TIME_OF_DAY = Pattern.compile("[T ](.*)");

  private static final Pattern EXPONENT = Pattern.compile("[eE]");

  private static final int MICROS = 6;

  private ExactText() {}

  /** Whether texts of a column need a look before they are cast. */
  static boolean isNeeded(Type type) {
    return switch (type.typeId()) {
      case DECIMAL, FLOAT, DOUBLE, DATE, TIMESTAMP -> true;
      default -> false;
    };
  }

  /**
   * The text, if nothing of it is lost; what is no value of the type at all is left to the cast,
   * and to {@link #refused}.
   *
   * @param table the base table
   * @throws IllegalArgumentException naming table, column, type and value, and what to do
   */
  static String checked(String table, NestedField column, String text) {
    if (isExact(column.type(), text)) {
      return text;
    }
    throw refused(table, column, text, "has more digits than that");
  }

  /**
   * Why a text cannot be cast to the column's type at all.
   *
   * @param table the base table
   */
  static IllegalArgumentException refused(String table, NestedField column, String text) {
    boolean isNumeric =
        switch (column.type().typeId()) {
          case INTEGER, LONG, FLOAT, DOUBLE, DECIMAL -> true;
          default -> false;
        };
    return refused(
        table,
        column,
        text,
        isNumeric && isNumber(text)
            ? "is not within its range, or is no whole number"
            : "is no value of it");
  }

  private static IllegalArgumentException refused(
      String table, NestedField column, String text, String why) {
    return new IllegalArgumentException(
        "Cannot merge into column %s of type %s of %s: the source's value %s %s (expected: a type that holds all values of the source's column; change it with ALTER TABLE, or make the table again with the source's type)"
            .formatted(column.name(), column.type(), table, text, why));
  }

  private static boolean isExact(Type type, String text) {
    return switch (type.typeId()) {
      case DECIMAL -> !isNumber(text) || number(text).scale() <= ((Types.DecimalType) type).scale();
      case FLOAT -> !isNumber(text) || isExactFloat(text);
      case DOUBLE -> !isNumber(text) || isExactDouble(text);
      case DATE -> isMidnight(text);
      case TIMESTAMP -> hasNoMoreThanMicros(text);
      default -> true;
    };
  }

  private static boolean isNumber(String text) {
    try {
      new BigDecimal(text.strip());
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static BigDecimal number(String text) {
    return new BigDecimal(text.strip()).stripTrailingZeros();
  }

  private static boolean isExactFloat(String text) {
    float held = Float.parseFloat(text.strip());
    return !Float.isInfinite(held)
        && isHeld(text, new BigDecimal(held), new BigDecimal(Float.toString(held)));
  }

  private static boolean isExactDouble(String text) {
    double held = Double.parseDouble(text.strip());
    return !Double.isInfinite(held)
        && isHeld(text, new BigDecimal(held), new BigDecimal(Double.toString(held)));
  }

  /**
   * Whether a binary fraction is what a text meant: rounded to the text's own digits it is the text
   * again, or Java writes it so, whose last digit is not always the nearest. A whole number that is
   * written out means all its digits.
   *
   * @param held the very number
   * @param written as Java writes it
   */
  private static boolean isHeld(String text, BigDecimal held, BigDecimal written) {
    BigDecimal number = number(text);
    if (number.scale() <= 0 && !EXPONENT.matcher(text).find()) {
      return held.compareTo(number) == 0;
    }
    BigDecimal twiceOff = held.subtract(number).abs().multiply(BigDecimal.valueOf(2));
    return twiceOff.compareTo(number.ulp()) <= 0 || written.compareTo(number) == 0;
  }

  private static boolean isMidnight(String text) {
    Matcher time = TIME_OF_DAY.matcher(text.strip());
    return !time.find() || !time.group(1).replaceAll("[Z+-].*", "").matches(".*[1-9].*");
  }

  private static boolean hasNoMoreThanMicros(String text) {
    Matcher fraction = FRACTION_OF_SECOND.matcher(text);
    if (!fraction.find()) {
      return true;
    }
    String digits = fraction.group(1);
    return digits.length() <= MICROS || digits.substring(MICROS).matches("0*");
  }
}

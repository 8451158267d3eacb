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

  /** Digits that a text always has to spare: another shortest text of the same number. */
  private static final int FLOAT_DIGITS = 9;

  private static final int DOUBLE_DIGITS = 17;

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
   * The text, if nothing of it is lost; what is no value of the type at all is left to the cast.
   *
   * @throws IllegalArgumentException naming the column, its type, and what to do
   */
  static String checked(NestedField column, String text) {
    if (isExact(column.type(), text)) {
      return text;
    }
    throw new IllegalArgumentException(
        "Cannot merge into column %s of type %s: the source's value %s has more digits than that (expected: a type that holds them; change it with ALTER TABLE, or make the table again with the source's type)"
            .formatted(column.name(), column.type(), text));
  }

  private static boolean isExact(Type type, String text) {
    return switch (type.typeId()) {
          case DECIMAL -> isNumber(text) && scale(text) <= ((Types.DecimalType) type).scale();
          case FLOAT -> isExactFloat(text);
          case DOUBLE -> isExactDouble(text);
          case DATE -> isMidnight(text);
          case TIMESTAMP -> hasNoMoreThanMicros(text);
          default -> true;
        }
        || isLeftToTheCast(type, text);
  }

  private static boolean isLeftToTheCast(Type type, String text) {
    boolean isNumeric =
        switch (type.typeId()) {
          case DECIMAL, FLOAT, DOUBLE -> true;
          default -> false;
        };
    return isNumeric && !isNumber(text);
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

  private static int scale(String text) {
    return number(text).scale();
  }

  private static boolean isExactFloat(String text) {
    if (!isNumber(text)) {
      return false;
    }
    BigDecimal number = number(text);
    float held = number.floatValue();
    return number.precision() <= FLOAT_DIGITS && !Float.isInfinite(held)
        || number.doubleValue() == held;
  }

  private static boolean isExactDouble(String text) {
    if (!isNumber(text)) {
      return false;
    }
    BigDecimal number = number(text);
    double held = number.doubleValue();
    return !Double.isInfinite(held)
        && (number.precision() <= DOUBLE_DIGITS || new BigDecimal(held).compareTo(number) == 0);
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

package dev.tidemark.pipeline.json;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;

/**
 * A JSON number with a fraction or an exponent, exact: {@code value} is what it denotes, and {@code
 * text} its canonical spelling, which keeps the sign of a negative zero that a {@code BigDecimal}
 * loses. No type is known for it: a column of a declared type never holds one.
 */
public record JsonFraction(String text) {
  public JsonFraction {
    requireNonNull(text, "text is null");
  }

  /**
   * The number that {@code text} spells.
   *
   * @throws NumberFormatException when it spells none, or one with an exponent beyond an int
   */
  static JsonFraction parse(String text) {
    BigDecimal value = new BigDecimal(text);
    boolean negativeZero = value.signum() == 0 && text.startsWith("-");
    return new JsonFraction(negativeZero ? "-" + value : value.toString());
  }

  public BigDecimal value() {
    return new BigDecimal(text);
  }

  @Override
  public String toString() {
    return text;
  }
}

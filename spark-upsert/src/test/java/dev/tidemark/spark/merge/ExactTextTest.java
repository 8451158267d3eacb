package dev.tidemark.spark.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

class ExactTextTest {
  private static final Type MONEY = Types.DecimalType.of(10, 2);
  private static final Type DATE = Types.DateType.get();
  private static final Type TIME = Types.TimestampType.withoutZone();
  private static final Type FLOAT = Types.FloatType.get();
  private static final Type DOUBLE = Types.DoubleType.get();

  @Test
  void textsThatTheTypeHoldsPass() {
    passes(MONEY, "1.5", "1.500", "1E+3", "-0.01", "0");
    passes(DATE, "2024-02-29", "2024-02-29 00:00:00", "2024-02-29T00:00:00Z");
    passes(TIME, "2024-02-29T23:59:59", "2024-02-29T23:59:59.123456000Z");
    passes(FLOAT, "1.1", "1.100000023841858", "3.4028235E38");
    passes(DOUBLE, "1.0E-300", "0.1", "0.10000000000000001", "NaN");
  }

  @Test
  void textsThatWouldLoseSomethingAreRefused() {
    isRefused(MONEY, "1.005");
    isRefused(DATE, "2024-02-29 00:00:01");
    isRefused(TIME, "2024-02-29T23:59:59.1234567");
    isRefused(FLOAT, "1.1000000238");
    isRefused(DOUBLE, "12345678901234567.89");
  }

  @Test
  void whatIsNoValueAtAllIsLeftToTheCast() {
    passes(MONEY, "five");
    passes(FLOAT, "five");
  }

  private static void passes(Type type, String... texts) {
    for (String text : texts) {
      assertThat(ExactText.checked(column(type), text)).isEqualTo(text);
    }
  }

  private static void isRefused(Type type, String text) {
    assertThatThrownBy(() -> ExactText.checked(column(type), text))
        .as("%s", text)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot merge into column c of type " + type)
        .hasMessageContaining("ALTER TABLE");
  }

  private static NestedField column(Type type) {
    return NestedField.optional(1, "c", type);
  }
}

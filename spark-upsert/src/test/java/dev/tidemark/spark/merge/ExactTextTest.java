package dev.tidemark.spark.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
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
    passes(FLOAT, "1.1", "1.1000000238", "1.100000023841858", "3.4028235E38");
    passes(FLOAT, "16777216", "1.0E+10", "-5.8056233E25"); // the last as Java writes it
    passes(DOUBLE, "1.0E-300", "0.1", "0.10000000000000001", "NaN");
    passes(DOUBLE, "9007199254740992", "9007199254740994.0", "1.0E+23", "4.9E-324", "0", "-0.0");
    passes(DOUBLE, "2.9802322387695312E-8", "2.9802322387695313E-8"); // in the middle of both
  }

  @Test
  void textsThatWouldLoseSomethingAreRefused() {
    isRefused(MONEY, "1.005");
    isRefused(DATE, "2024-02-29 00:00:01");
    isRefused(TIME, "2024-02-29T23:59:59.1234567");
    isRefused(FLOAT, "1.1000000239");
    isRefused(FLOAT, "16777217");
    isRefused(FLOAT, "16777217.0");
    isRefused(FLOAT, "1E+39");
    isRefused(DOUBLE, "12345678901234567.89");
    isRefused(DOUBLE, "9007199254740993");
    isRefused(DOUBLE, "9223372036854775800");
    isRefused(DOUBLE, "1.0E+400");
    isRefused(DOUBLE, "1.0E-400");
  }

  @Test
  void whateverJavaWritesPasses() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      String text = Double.toString(Double.longBitsToDouble(random.nextLong()));
      String shorter = Float.toString(Float.intBitsToFloat(random.nextInt()));
      assertThatCode(
              () -> {
                passes(DOUBLE, text);
                passes(FLOAT, shorter);
              })
          .as("seed %d", seed)
          .doesNotThrowAnyException();
    }
  }

  @Test
  void refusalOfATextSaysWhatIsWrongWithIt() {
    assertThat(ExactText.refused("lake.db.t", column(MONEY), "1E+9"))
        .hasMessageContaining("column c of type decimal(10, 2) of lake.db.t")
        .hasMessageContaining("value 1E+9 is not within its range");
    assertThat(ExactText.refused("lake.db.t", column(DATE), "9999"))
        .hasMessageContaining("no value of it");
    assertThat(ExactText.refused("lake.db.t", column(MONEY), "five"))
        .hasMessageContaining("value five is no value of it");
  }

  @Test
  void whatIsNoValueAtAllIsLeftToTheCast() {
    passes(MONEY, "five");
    passes(FLOAT, "five");
  }

  private static void passes(Type type, String... texts) {
    for (String text : texts) {
      assertThat(ExactText.checked("lake.db.t", column(type), text)).isEqualTo(text);
    }
  }

  private static void isRefused(Type type, String text) {
    assertThatThrownBy(() -> ExactText.checked("lake.db.t", column(type), text))
        .as("%s", text)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot merge into column c of type " + type + " of lake.db.t")
        .hasMessageContaining("ALTER TABLE");
  }

  private static NestedField column(Type type) {
    return NestedField.optional(1, "c", type);
  }
}

package dev.tidemark.pinot.segment;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/** Rows of {@link Tables#everyType} from a seed: few and many distinct values, nulls, odd ones. */
final class RandomRows {
  private final Random random;
  private final int cardinality;

  RandomRows(long seed, int cardinality) {
    this.random = new Random(seed);
    this.cardinality = cardinality;
  }

  /** The seed of this run, printed; set {@code -Dtidemark.test.seed} to repeat one. */
  static long seed() {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("-Dtidemark.test.seed=" + seed);
    return seed;
  }

  List<GenericRow> rows(int count) {
    List<GenericRow> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(row());
    }
    return rows;
  }

  private GenericRow row() {
    GenericRow row = new GenericRow();
    put(row, "i", this::oneInt);
    put(row, "l", this::oneLong);
    put(row, "f", () -> (float) oneDouble());
    put(row, "d", this::oneDouble);
    put(row, "m", this::oneDouble);
    put(row, "dec", this::decimal);
    put(row, "bool", random::nextBoolean);
    put(row, "ts", () -> Tables.T0 + random.nextInt(cardinality));
    put(row, "s", this::text);
    put(row, "j", () -> "{\"a\":" + random.nextInt(cardinality) + "}");
    put(row, "b", this::bytes);
    put(row, "is", () -> several(this::oneInt));
    put(row, "ls", () -> several(this::oneLong));
    put(row, "fs", () -> several(() -> (float) oneDouble()));
    put(row, "ds", () -> several(this::oneDouble));
    put(row, "bools", () -> several(random::nextBoolean));
    put(row, "tss", () -> several(() -> Tables.T0 + random.nextInt(cardinality)));
    put(row, "ss", () -> several(this::text));
    put(row, "bs", () -> several(this::bytes));
    row.putValue("at", Tables.T0 + random.nextInt(3_600_000));
    return row;
  }

  private void put(GenericRow row, String column, Supplier<Object> value) {
    @Nullable Object chosen = random.nextInt(12) == 0 ? null : value.get();
    row.putValue(column, chosen);
  }

  private Object[] several(Supplier<Object> value) {
    Object[] values = new Object[1 + random.nextInt(4)];
    for (int i = 0; i < values.length; i++) {
      values[i] = value.get();
    }
    return values;
  }

  private int oneInt() {
    return random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(cardinality);
  }

  private long oneLong() {
    return random.nextInt(20) == 0 ? random.nextLong() : -random.nextInt(cardinality);
  }

  private double oneDouble() {
    return switch (random.nextInt(30)) {
      case 0 -> Double.NEGATIVE_INFINITY;
      case 1 -> -0.0;
      case 2 -> Double.NaN;
      case 3 -> -Double.MIN_VALUE;
      default -> random.nextInt(cardinality) / 8.0 - 3;
    };
  }

  private BigDecimal decimal() {
    return new BigDecimal(BigInteger.valueOf(random.nextInt(cardinality)).pow(3), 5);
  }

  private String text() {
    String common = random.nextBoolean() ? "a-rather-long-common-prefix-" : "";
    String tail = Integer.toString(random.nextInt(cardinality), 36);
    return switch (random.nextInt(12)) {
      case 0 -> "";
      case 1 -> common + "\u00e9\u4e2d" + tail;
      case 2 -> common + new String(Character.toChars(0x1F600 + random.nextInt(9))) + tail;
      case 3 -> common + "\uffef" + tail; // above the surrogates, below in UTF-8
      case 4 -> "x".repeat(600) + tail; // longer than a column takes
      case 5 -> tail + "\0cut";
      default -> common + tail;
    };
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(20)];
    for (int i = 0; i < bytes.length; i += 5) {
      bytes[i] = (byte) (random.nextInt(3) * 127);
    }
    return bytes;
  }
}

package dev.tidemark.pipeline.schema;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.Locale;

/**
 * The type of a column, together with how the connector writes it.
 *
 * @param precision of a decimal, 1 to 65; 0 for every other kind
 * @param scale of a decimal, 0 to precision; 0 for every other kind
 */
public record ColumnType(Kind kind, int precision, int scale) implements Serializable {
  /** MySQL and MariaDB hold decimals of up to 65 digits. */
  public static final int MAX_PRECISION = 65;

  /** What a value is, and in brackets the Java type that a row image holds for it. */
  public enum Kind {
    /** (Boolean). */
    BOOLEAN,
    /** (Long). */
    INT8,
    /** (Long). */
    INT16,
    /** (Long). */
    INT32,
    /** (Long). */
    INT64,
    /**
     * An unsigned bigint that the connector writes as a signed long, so that 2^64-1 arrives as -1:
     * {@code bigint.unsigned.handling.mode=long} (BigDecimal of scale 0).
     */
    UINT64,
    /** (Float). */
    FLOAT,
    /** (Double). */
    DOUBLE,
    /** Base64 of the unscaled bytes: {@code decimal.handling.mode=precise} (BigDecimal). */
    DECIMAL,
    /** Text with its scale: {@code decimal.handling.mode=string} (BigDecimal). */
    DECIMAL_TEXT,
    /** {@code {scale, value}}, Debezium's VariableScaleDecimal (BigDecimal). */
    VARIABLE_DECIMAL,
    /** Text, JSON, enum, set, uuid (String). */
    STRING,
    /** Base64 of a binary, blob or bit column (ByteBuffer). */
    BYTES,
    /** Days since the epoch, or ISO text (LocalDate). */
    DATE,
    /** Milliseconds, or ISO text (Duration). */
    TIME_MILLIS,
    /** Microseconds, or ISO text (Duration). */
    TIME_MICROS,
    /** Nanoseconds, or ISO text (Duration). */
    TIME_NANOS,
    /** A datetime without zone, milliseconds as if in UTC, or ISO text (LocalDateTime). */
    DATETIME_MILLIS,
    /** A datetime without zone, microseconds as if in UTC, or ISO text (LocalDateTime). */
    DATETIME_MICROS,
    /** A datetime without zone, nanoseconds as if in UTC, or ISO text (LocalDateTime). */
    DATETIME_NANOS,
    /** A timestamp: ISO text with an offset (Instant). */
    INSTANT,
    /** A shape with no type of its own, say a geometry: its JSON as it came. */
    RAW
  }

  public ColumnType {
    requireNonNull(kind, "kind is null");
    boolean decimal = kind == Kind.DECIMAL || kind == Kind.DECIMAL_TEXT;
    if (decimal && (precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision)) {
      throw new IllegalArgumentException(
          "decimal(%d,%d) (expected: precision 1 to %d, scale 0 to precision)"
              .formatted(precision, scale, MAX_PRECISION));
    }
    if (!decimal && (precision != 0 || scale != 0)) {
      throw new IllegalArgumentException(
          "%s(%d,%d) (expected: precision and scale on a decimal alone)"
              .formatted(kind, precision, scale));
    }
  }

  /** A type without precision and scale. */
  public static ColumnType of(Kind kind) {
    return new ColumnType(kind, 0, 0);
  }

  /** A decimal that the connector writes as base64, {@code decimal.handling.mode=precise}. */
  public static ColumnType decimal(int precision, int scale) {
    return new ColumnType(Kind.DECIMAL, precision, scale);
  }

  /** A decimal that the connector writes as text, {@code decimal.handling.mode=string}. */
  public static ColumnType decimalText(int precision, int scale) {
    return new ColumnType(Kind.DECIMAL_TEXT, precision, scale);
  }

  @Override
  public String toString() {
    String name = kind.name().toLowerCase(Locale.ROOT);
    return precision == 0 ? name : name + "(" + precision + "," + scale + ")";
  }
}

package dev.tidemark.pipeline.ledger;

import dev.tidemark.pipeline.json.JsonText;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * A primary key column of the ledger: its Iceberg type and its values. What Iceberg has no exact
 * type for (times beyond a day, decimals of more than 38 digits) is a string in its canonical form.
 */
record KeyColumn(Column column) implements Serializable {
  private static final int ICEBERG_PRECISION = 38;

  String name() {
    return column.name();
  }

  Type icebergType() {
    ColumnType type = column.type();
    return switch (type.kind()) {
      case BOOLEAN -> Types.BooleanType.get();
      case INT8, INT16, INT32 -> Types.IntegerType.get();
      case INT64 -> Types.LongType.get();
      case UINT64 -> Types.DecimalType.of(20, 0);
      case FLOAT -> Types.FloatType.get();
      case DOUBLE -> Types.DoubleType.get();
      case DECIMAL, DECIMAL_TEXT ->
          type.precision() <= ICEBERG_PRECISION
              ? Types.DecimalType.of(type.precision(), type.scale())
              : Types.StringType.get();
      case BYTES -> Types.BinaryType.get();
      case DATE -> Types.DateType.get();
      case DATETIME_MILLIS, DATETIME_MICROS, DATETIME_NANOS -> Types.TimestampType.withoutZone();
      case INSTANT -> Types.TimestampType.withZone();
      default -> Types.StringType.get();
    };
  }

  /** Whether Iceberg has a bucket transform for it. */
  boolean bucketable() {
    return switch (icebergType().typeId()) {
      case BOOLEAN, FLOAT, DOUBLE -> false;
      default -> true;
    };
  }

  /**
   * The value as Flink's internal data of {@link #icebergType()}.
   *
   * @throws ClassCastException when it is no value of the column's type
   * @throws ArithmeticException when the type has no room for it
   */
  Object toFlink(Object value) {
    return switch (column.type().kind()) {
      case BOOLEAN -> (Boolean) value;
      case INT8, INT16, INT32 -> Math.toIntExact((Long) value);
      case INT64 -> (Long) value;
      case FLOAT -> (Float) value;
      case DOUBLE -> (Double) value;
      case UINT64, DECIMAL, DECIMAL_TEXT -> decimal((BigDecimal) value);
      case VARIABLE_DECIMAL -> StringData.fromString(((BigDecimal) value).toPlainString());
      case STRING -> StringData.fromString((String) value);
      case BYTES -> bytes((ByteBuffer) value);
      case DATE -> Math.toIntExact(((LocalDate) value).toEpochDay());
      case DATETIME_MILLIS, DATETIME_MICROS, DATETIME_NANOS ->
          micros(TimestampData.fromLocalDateTime((LocalDateTime) value));
      case INSTANT -> micros(TimestampData.fromInstant((Instant) value));
      case TIME_MILLIS, TIME_MICROS, TIME_NANOS -> unquoted((Duration) value);
      case RAW -> StringData.fromString(JsonText.of(value));
    };
  }

  private Object decimal(BigDecimal value) {
    Type type = icebergType();
    if (!(type instanceof Types.DecimalType decimal)) {
      return StringData.fromString(value.toPlainString());
    }
    DecimalData data = DecimalData.fromBigDecimal(value, decimal.precision(), decimal.scale());
    if (data == null || data.toBigDecimal().compareTo(value) != 0) {
      throw new ArithmeticException(type + " has no room for it");
    }
    return data;
  }

  private static byte[] bytes(ByteBuffer value) {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }

  private static TimestampData micros(TimestampData value) {
    if (value.getNanoOfMillisecond() % 1_000 != 0) {
      throw new ArithmeticException("microseconds have no room for nanoseconds");
    }
    return value;
  }

  private static StringData unquoted(Duration value) {
    String quoted = JsonText.of(value);
    return StringData.fromString(quoted.substring(1, quoted.length() - 1));
  }
}

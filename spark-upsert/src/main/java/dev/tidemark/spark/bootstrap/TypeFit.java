package dev.tidemark.spark.bootstrap;

import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Whether Spark's cast of one type to another, in UTC, keeps all that a value says. It looks at
 * types alone, so that a load is refused before a row is read. That a number is too large for the
 * other type is not its matter: such a cast fails, and loses nothing in silence.
 */
final class TypeFit {
  /** Decimal digits that a float always gives back. */
  private static final int FLOAT_DIGITS = 6;

  private static final int DOUBLE_DIGITS = 15;

  private TypeFit() {}

  /** True where no value is rounded, cut off, or read as something else. */
  static boolean isExact(DataType from, DataType to) {
    if (from.equals(to) || from instanceof NullType) {
      return true;
    } else if (to instanceof StringType) {
      return !(from instanceof BinaryType); // bytes need not be text
    } else if (to instanceof IntegerType || to instanceof LongType) {
      return isWhole(from);
    } else if (to instanceof FloatType) {
      return isShort(from) || isDecimal(from, FLOAT_DIGITS);
    } else if (to instanceof DoubleType) {
      return isShort(from)
          || from instanceof IntegerType
          || from instanceof FloatType
          || isDecimal(from, DOUBLE_DIGITS);
    } else if (to instanceof DecimalType decimal) {
      return isWhole(from)
          || (from instanceof DecimalType other && other.scale() <= decimal.scale());
    }
    return isTime(to) && (isTime(from) || from instanceof DateType);
  }

  private static boolean isShort(DataType type) {
    return type instanceof ByteType || type instanceof ShortType;
  }

  private static boolean isWhole(DataType type) {
    return isShort(type)
        || type instanceof IntegerType
        || type instanceof LongType
        || (type instanceof DecimalType decimal && decimal.scale() <= 0);
  }

  private static boolean isDecimal(DataType type, int digits) {
    return type instanceof DecimalType decimal && decimal.precision() <= digits;
  }

  private static boolean isTime(DataType type) {
    return type instanceof TimestampType || type instanceof TimestampNTZType;
  }
}

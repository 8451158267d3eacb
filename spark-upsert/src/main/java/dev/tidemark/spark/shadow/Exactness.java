package dev.tidemark.spark.shadow;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StringType;

/** Whether a value is still the same in another type. */
final class Exactness {
  /** Digits below a microsecond, which Spark leaves off a text that it reads as a time. */
  private static final String BELOW_MICROS = "[.][0-9]{6}[0-9]*[1-9]";

  private Exactness() {}

  /**
   * True where the value is null, or comes back unchanged from the cast; never null. A text is held
   * against what it says: {@code 1.5} and {@code 1.50} are one number.
   */
  static Column of(Column value, DataType from, DataType to) {
    if (from.equals(to) || DataTypes.NullType.equals(from)) {
      return functions.lit(true);
    }
    Column cast = value.try_cast(to);
    Column arrives = value.isNull().eqNullSafe(cast.isNull());
    if (from instanceof StringType && isTime(to)) {
      Column isCut = functions.coalesce(value.rlike(BELOW_MICROS), functions.lit(false));
      arrives = arrives.and(functions.not(isCut));
    }
    DataType common = from instanceof StringType ? saidByText(to) : from;
    if (!Cast.canTryCast(to, common)) {
      return arrives;
    }
    Column same = value.try_cast(common).eqNullSafe(cast.try_cast(common));
    return arrives.and(same);
  }

  private static boolean isTime(DataType type) {
    return DataTypes.TimestampType.equals(type)
        || DataTypes.TimestampNTZType.equals(type)
        || DataTypes.DateType.equals(type);
  }

  /** The type that a text is read as, finer than the one it goes to. */
  private static DataType saidByText(DataType to) {
    if (to instanceof DecimalType decimal) {
      return DataTypes.createDecimalType(38, 38 - (decimal.precision() - decimal.scale()));
    }
    return DataTypes.DateType.equals(to) ? DataTypes.TimestampNTZType : to;
  }
}

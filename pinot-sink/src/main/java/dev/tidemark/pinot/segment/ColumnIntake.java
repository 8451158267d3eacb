package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.segment.RejectedRowException.Reason;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.apache.pinot.common.utils.PinotDataType;
import org.apache.pinot.segment.local.utils.DataTypeTransformerUtils;
import org.apache.pinot.segment.local.utils.SanitizationTransformerUtils;
import org.apache.pinot.segment.local.utils.SanitizationTransformerUtils.SanitizationResult;
import org.apache.pinot.segment.local.utils.SanitizationTransformerUtils.SanitizedColumnInfo;
import org.apache.pinot.segment.local.utils.SpecialValueTransformerUtils;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.jspecify.annotations.Nullable;

/**
 * Brings values to the type of one column, as Pinot's own transformers would: conversion, then
 * special values, then sanitising. A value of the column's own type takes a short way; any other is
 * given to Pinot's code. Used by one thread.
 */
final class ColumnIntake {
  private final String name;
  private final FieldSpec spec;
  private final DataType type;
  private final PinotDataType pinotType;
  private final boolean hasSpecialValues;
  private final @Nullable SanitizedColumnInfo sanitising;
  private final int maxLength;
  private final boolean nullOnError;

  ColumnIntake(FieldSpec spec, boolean nullOnError) {
    this.name = spec.getName();
    this.spec = spec;
    this.type = spec.getDataType();
    this.pinotType = PinotDataType.getPinotDataTypeForIngestion(spec);
    this.hasSpecialValues = SpecialValueTransformerUtils.needsTransformation(spec);
    this.sanitising = SanitizationTransformerUtils.getSanitizedColumnInfo(spec);
    this.maxLength = spec.getEffectiveMaxLength();
    this.nullOnError = nullOnError;
  }

  String name() {
    return name;
  }

  /** What a missing value is stored as. */
  Object defaultValue() {
    Object value = spec.getDefaultNullValue();
    return spec.isSingleValueField() ? value : new Object[] {value};
  }

  /**
   * The value as the column stores it: {@code Integer}, {@code Long}, {@code Float}, {@code
   * Double}, {@code BigDecimal}, {@code String}, {@code byte[]}, {@code Map}, or an array of these.
   *
   * @return null if nothing is left of it, such as of an empty list or of NaN
   */
  @Nullable Object convert(Object value) throws RejectedRowException {
    Object fast = sameType(value);
    if (fast != null) {
      return fast;
    }
    Object converted = convertByPinot(value);
    if (converted != null && hasSpecialValues) {
      converted =
          converted instanceof Object[] several
              ? SpecialValueTransformerUtils.transformValues(several)
              : SpecialValueTransformerUtils.transformValue(converted);
    }
    return converted;
  }

  /** Cuts, replaces or refuses what is too long, as the column says. */
  Object sanitise(Object value) throws RejectedRowException {
    if (sanitising == null || isClean(value)) {
      return value;
    }
    try {
      SanitizationResult result = SanitizationTransformerUtils.sanitizeValue(sanitising, value);
      return result == null ? value : result.getValue();
    } catch (IllegalStateException e) {
      String what = "Value longer than " + maxLength + " or with a null character";
      throw new RejectedRowException(Reason.TOO_LARGE, what, name, value, null);
    }
  }

  /** The value itself if it is of the column's own type and nothing special; else null. */
  private @Nullable Object sameType(Object value) {
    return switch (pinotType) {
      case INTEGER -> value instanceof Integer ? value : null;
      case LONG -> value instanceof Long ? value : null;
      case FLOAT -> value instanceof Float number ? ordinary(number) : null;
      case DOUBLE -> value instanceof Double number ? ordinary(number) : null;
      case STRING -> value instanceof String ? value : null;
      case BYTES -> value instanceof byte[] ? value : null;
      case BOOLEAN -> value instanceof Boolean flag ? (flag ? 1 : 0) : null;
      case TIMESTAMP -> value instanceof Long ? value : null;
      default -> null;
    };
  }

  private static @Nullable Float ordinary(Float value) {
    if (value == 0) {
      return 0f; // never -0.0, which Pinot does not keep
    }
    return value.isNaN() ? null : value;
  }

  private static @Nullable Double ordinary(Double value) {
    if (value == 0) {
      return 0d;
    }
    return value.isNaN() ? null : value;
  }

  private boolean isClean(Object value) {
    if (value instanceof String text) {
      return text.length() <= maxLength && (type != DataType.STRING || text.indexOf('\0') < 0);
    }
    return value instanceof byte[] bytes && bytes.length <= maxLength;
  }

  private @Nullable Object convertByPinot(Object value) throws RejectedRowException {
    try {
      Object boxed = boxed(value);
      Object plain =
          type == DataType.MAP || type == DataType.JSON
              ? JavaTimes.asText(boxed)
              : withoutJavaTime(boxed);
      Object converted = DataTypeTransformerUtils.transformValue(name, plain, pinotType);
      return converted instanceof BigDecimal decimal ? checked(decimal) : converted;
    } catch (RuntimeException e) {
      if (nullOnError) {
        return null;
      }
      String what = "Cannot convert a value to " + type;
      throw new RejectedRowException(Reason.NOT_CONVERTIBLE, what, name, value, e);
    }
  }

  /** Pinot keeps a scale in 16 bits and would store another number for one that does not fit. */
  private static BigDecimal checked(BigDecimal value) {
    if (value.scale() != (short) value.scale()) {
      throw new IllegalArgumentException("scale " + value.scale() + " (expected: within 16 bits)");
    }
    return value;
  }

  private Object withoutJavaTime(Object value) {
    if (value instanceof Collection<?> several) {
      List<@Nullable Object> plain = new ArrayList<>(several.size());
      several.forEach(element -> plain.add(element == null ? null : withoutJavaTime(element)));
      return plain;
    }
    if (value instanceof Object[] several) {
      return withoutJavaTime(Arrays.asList(several));
    }
    Long millis = JavaTimes.millis(value);
    if (millis == null) {
      return value;
    }
    if (spec instanceof DateTimeFieldSpec dateTime && type != DataType.TIMESTAMP) {
      return dateTime.getFormatSpec().fromMillisToFormat(millis);
    }
    return switch (type) {
      case TIMESTAMP -> new Timestamp(millis);
      case STRING -> value.toString();
      case LONG -> millis;
      default ->
          throw new IllegalArgumentException(
              "a time does not fit "
                  + type
                  + " (expected: TIMESTAMP, LONG, STRING or a date-time)");
    };
  }

  private static Object boxed(Object value) {
    if (value instanceof int[] numbers) {
      return Arrays.stream(numbers).boxed().toArray();
    }
    if (value instanceof long[] numbers) {
      return Arrays.stream(numbers).boxed().toArray();
    }
    if (value instanceof double[] numbers) {
      return Arrays.stream(numbers).boxed().toArray();
    }
    return value instanceof float[] || value instanceof boolean[] ? boxedOneByOne(value) : value;
  }

  private static Object boxedOneByOne(Object array) {
    Object[] boxed = new Object[Array.getLength(array)];
    for (int i = 0; i < boxed.length; i++) {
      boxed[i] = Array.get(array, i);
    }
    return boxed;
  }
}

package dev.tidemark.pinot.row;

import java.time.LocalDate;
import java.time.LocalTime;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** The fields of a row of Flink's Table API as plain Java values. */
final class PlainFields {
  private final String[] names;
  private final RowData.FieldGetter[] getters;
  private final Plain[] plain;

  /** From Flink's internal form of a value to a plain one. */
  private interface Plain {
    Object of(Object internal);
  }

  PlainFields(RowType type) {
    this.names = type.getFieldNames().toArray(String[]::new);
    this.getters = new RowData.FieldGetter[names.length];
    this.plain = new Plain[names.length];
    for (int i = 0; i < names.length; i++) {
      getters[i] = RowData.createFieldGetter(type.getTypeAt(i), i);
      plain[i] = plain(type.getTypeAt(i));
    }
  }

  void forEach(RowData row, BiConsumer<String, @Nullable Object> field) {
    for (int i = 0; i < names.length; i++) {
      Object internal = getters[i].getFieldOrNull(row);
      field.accept(names[i], internal == null ? null : plain[i].of(internal));
    }
  }

  private static Plain plain(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case BOOLEAN, BINARY, VARBINARY, INTEGER, BIGINT, FLOAT, DOUBLE -> internal -> internal;
      case TINYINT, SMALLINT -> internal -> ((Number) internal).intValue();
      case CHAR, VARCHAR -> Object::toString;
      case DECIMAL -> internal -> ((DecimalData) internal).toBigDecimal();
      case DATE -> internal -> LocalDate.ofEpochDay((Integer) internal);
      case TIME_WITHOUT_TIME_ZONE ->
          internal -> LocalTime.ofNanoOfDay((Integer) internal * 1_000_000L).toString();
      case TIMESTAMP_WITHOUT_TIME_ZONE -> internal -> ((TimestampData) internal).toLocalDateTime();
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> internal -> ((TimestampData) internal).toInstant();
      case ARRAY -> array(((ArrayType) type).getElementType());
      case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET -> map(((MultisetType) type).getElementType(), new IntType(false));
      case ROW -> row((RowType) type);
      default ->
          throw new IllegalArgumentException(
              "Cannot convert a field of type %s to Pinot (expected: a number, text, bytes, a time, or an array, map or row of these)"
                  .formatted(type));
    };
  }

  private static Plain row(RowType type) {
    PlainFields fields = new PlainFields(type);
    return internal -> {
      Map<String, @Nullable Object> values = new HashMap<>();
      fields.forEach((RowData) internal, values::put);
      return values;
    };
  }

  private static Plain array(LogicalType elementType) {
    Plain element = plain(elementType);
    ArrayData.ElementGetter getter = ArrayData.createElementGetter(elementType);
    return internal -> elements((ArrayData) internal, getter, element);
  }

  private static Plain map(LogicalType keyType, LogicalType valueType) {
    Plain key = plain(keyType);
    Plain value = plain(valueType);
    ArrayData.ElementGetter keys = ArrayData.createElementGetter(keyType);
    ArrayData.ElementGetter values = ArrayData.createElementGetter(valueType);
    return internal -> {
      MapData map = (MapData) internal;
      @Nullable Object[] plainKeys = elements(map.keyArray(), keys, key);
      @Nullable Object[] plainValues = elements(map.valueArray(), values, value);
      Map<String, @Nullable Object> plain = new HashMap<>();
      for (int i = 0; i < plainKeys.length; i++) {
        plain.put(String.valueOf(plainKeys[i]), plainValues[i]);
      }
      return plain;
    };
  }

  private static @Nullable Object[] elements(
      ArrayData array, ArrayData.ElementGetter getter, Plain element) {
    @Nullable Object[] elements = new Object[array.size()];
    for (int i = 0; i < elements.length; i++) {
      Object internal = getter.getElementOrNull(array, i);
      elements[i] = internal == null ? null : element.of(internal);
    }
    return elements;
  }
}

package dev.tidemark.pinot.row;

import java.lang.reflect.Field;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * Converts objects of a class that Flink takes for a POJO: a public class with a constructor
 * without arguments, whose fields are public or have getters and setters.
 *
 * @param <T> the class
 */
public final class PojoGenericRowConverter<T> implements PinotGenericRowConverter<T> {
  private static final long serialVersionUID = 1L;

  private final Class<T> type;
  private transient Field @Nullable [] fields;

  /**
   * Converts objects of this class.
   *
   * @throws IllegalArgumentException if it is no POJO
   */
  public PojoGenericRowConverter(Class<T> type) {
    this.type = type;
    this.fields = fieldsOf(type);
  }

  @Override
  public GenericRow convertToRow(T value) {
    GenericRow row = new GenericRow();
    for (Field field : fields()) {
      try {
        row.putValue(field.getName(), field.get(value));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("Cannot read " + field, e);
      }
    }
    return row;
  }

  @Override
  public T convertFromRow(GenericRow row) {
    try {
      T value = type.getConstructor().newInstance();
      for (Field field : fields()) {
        Object fieldValue = row.getValue(field.getName());
        if (fieldValue != null && !row.isNullValue(field.getName())) {
          field.set(value, fieldValue);
        }
      }
      return value;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Cannot make an object of " + type, e);
    }
  }

  private Field[] fields() {
    if (fields == null) {
      fields = fieldsOf(type);
    }
    return fields;
  }

  private static Field[] fieldsOf(Class<?> type) {
    TypeInformation<?> info = TypeExtractor.createTypeInfo(type);
    if (!(info instanceof PojoTypeInfo<?> pojo)) {
      throw new IllegalArgumentException(
          "Cannot convert objects of %s (expected: a public class with a constructor without arguments, whose fields are public or have getters and setters)"
              .formatted(type));
    }
    Field[] fields = new Field[pojo.getArity()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = pojo.getPojoFieldAt(i).getField();
      fields[i].setAccessible(true);
    }
    return fields;
  }
}

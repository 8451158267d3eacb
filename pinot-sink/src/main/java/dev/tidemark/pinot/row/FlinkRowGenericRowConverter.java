package dev.tidemark.pinot.row;

import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.data.readers.GenericRow;

/** Converts {@link Row}s, whose fields are named by their type. */
public class FlinkRowGenericRowConverter implements PinotGenericRowConverter<Row> {
  private static final long serialVersionUID = 1L;

  private final String[] names;

  /** Converts rows of this type. */
  public FlinkRowGenericRowConverter(RowTypeInfo rowTypeInfo) {
    this.names = rowTypeInfo.getFieldNames().clone();
  }

  @Override
  public GenericRow convertToRow(Row value) {
    if (value.getArity() != names.length) {
      throw new IllegalArgumentException(
          "Invalid row of %d fields: %s (expected: %d)"
              .formatted(value.getArity(), value, names.length));
    }
    GenericRow row = new GenericRow();
    for (int i = 0; i < names.length; i++) {
      row.putValue(names[i], value.getField(i));
    }
    return row;
  }

  @Override
  public Row convertFromRow(GenericRow row) {
    Row value = new Row(names.length);
    for (int i = 0; i < names.length; i++) {
      value.setField(i, row.isNullValue(names[i]) ? null : row.getValue(names[i]));
    }
    return value;
  }

  @Override
  public RowKind kind(Row value) {
    return value.getKind();
  }
}

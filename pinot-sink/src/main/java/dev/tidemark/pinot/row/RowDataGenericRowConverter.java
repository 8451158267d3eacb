package dev.tidemark.pinot.row;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * Converts rows of Flink's Table API. Timestamps become {@code java.time} values, which a Pinot
 * column takes by its type and format; a date stands for its midnight in UTC, a time of day for its
 * text; rows and maps become maps, for MAP and JSON columns. One way only.
 */
public final class RowDataGenericRowConverter implements PinotGenericRowConverter<RowData> {
  private static final long serialVersionUID = 1L;

  private final RowType type;
  private transient @Nullable PlainFields fields;

  /**
   * Converts rows of this type.
   *
   * @throws IllegalArgumentException if a field is of a type that Pinot cannot hold
   */
  public RowDataGenericRowConverter(RowType type) {
    this.type = type;
    this.fields = new PlainFields(type);
  }

  @Override
  public GenericRow convertToRow(RowData value) {
    if (fields == null) {
      fields = new PlainFields(type);
    }
    GenericRow row = new GenericRow();
    fields.forEach(value, row::putValue);
    return row;
  }

  @Override
  public RowData convertFromRow(GenericRow row) {
    throw new UnsupportedOperationException("Cannot convert a Pinot row to RowData");
  }

  @Override
  public RowKind kind(RowData value) {
    return value.getRowKind();
  }
}

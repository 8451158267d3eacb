package dev.tidemark.pinot.row;

import java.io.Serializable;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.data.readers.GenericRow;

/**
 * From a record of the user's to a Pinot row and back. The two conversions are those of the Flink
 * connector that Pinot ships, so that its converters port by a changed import. A field that is null
 * is put as null, or not at all: both are null to Pinot.
 *
 * @param <T> the record
 */
public interface PinotGenericRowConverter<T> extends Serializable {
  /** The row of this record: fields by the names that the table's columns or transforms use. */
  GenericRow convertToRow(T value);

  /**
   * The record of this row.
   *
   * @throws UnsupportedOperationException if this converter goes one way only
   */
  T convertFromRow(GenericRow row);

  /** What the record does to the table; an insert unless the record says otherwise. */
  default RowKind kind(T value) {
    return RowKind.INSERT;
  }
}

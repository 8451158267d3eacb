package dev.tidemark.pinot.row;

import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * Converts Avro records. Text, bytes, fixed and enum values become text and byte arrays; the
 * logical types {@code decimal}, {@code date}, {@code timestamp-*} and {@code local-timestamp-*}
 * become numbers and times; nested records and maps become maps, for MAP and JSON columns. Needs
 * Avro on the class path. One way only.
 */
public final class AvroGenericRowConverter implements PinotGenericRowConverter<GenericRecord> {
  private static final long serialVersionUID = 1L;

  private final String schemaJson;
  private transient @Nullable List<Schema.Field> fields;

  /**
   * Converts records of this schema.
   *
   * @throws IllegalArgumentException if it is no schema of a record
   */
  public AvroGenericRowConverter(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD) {
      throw new IllegalArgumentException("Invalid schema: " + schema + " (expected: a record)");
    }
    this.schemaJson = schema.toString();
    this.fields = schema.getFields();
  }

  @Override
  public GenericRow convertToRow(GenericRecord value) {
    GenericRow row = new GenericRow();
    for (Schema.Field field : fields()) {
      Object fieldValue = value.get(field.name());
      row.putValue(field.name(), AvroValues.plain(fieldValue, field.schema()));
    }
    return row;
  }

  @Override
  public GenericRecord convertFromRow(GenericRow row) {
    throw new UnsupportedOperationException("Cannot convert a Pinot row to an Avro record");
  }

  private List<Schema.Field> fields() {
    if (fields == null) {
      fields = new Schema.Parser().parse(schemaJson).getFields();
    }
    return fields;
  }
}

package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.json.JsonReader;
import dev.tidemark.pipeline.json.MalformedJsonException;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.pinot.FlightColumns;
import dev.tidemark.quickstart.pinot.UpsertTables;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/**
 * The last state of each flight as an upsert table of Pinot. Which change of a flight is the last
 * one, the total order of the ledger decides, whatever the order in which they come.
 */
final class CurrentFlights {
  private static final String DELETED = "deleted";

  private CurrentFlights() {}

  static Schema schema(String table) {
    Schema schema = FlightColumns.schema(table);
    schema.addField(UpsertTables.dimension(LedgerSchema.CDC_ORD, DataType.STRING));
    schema.addField(UpsertTables.dimension(DELETED, DataType.BOOLEAN));
    schema.setPrimaryKeyColumns(List.of("id"));
    return schema;
  }

  /**
   * The config of the table.
   *
   * @param topic a REALTIME table needs one; this one stays empty, the sink brings all rows
   */
  static TableConfig config(String table, PinotCluster pinot, String kafka, String topic) {
    return UpsertTables.config(
        table,
        new UpsertTables.Columns(FlightColumns.TIME, LedgerSchema.CDC_ORD, DELETED),
        pinot.jsonFromKafka(kafka, topic));
  }

  /** A change of the ledger as a row; a deletion becomes a tombstone by its kind. */
  static final class Converter implements PinotGenericRowConverter<RowData> {
    private static final long serialVersionUID = 1L;

    private final int operation;
    private final int before;
    private final int after;
    private final int order;

    Converter(LedgerSchema ledger) {
      RowType rows = ledger.rowType();
      this.operation = rows.getFieldIndex(LedgerSchema.OP);
      this.before = rows.getFieldIndex(LedgerSchema.BEFORE_IMAGE);
      this.after = rows.getFieldIndex(LedgerSchema.AFTER_IMAGE);
      this.order = rows.getFieldIndex(LedgerSchema.CDC_ORD);
    }

    @Override
    public RowKind kind(RowData change) {
      return switch (operation(change)) {
        case INSERT, SNAPSHOT -> RowKind.INSERT;
        case UPDATE -> RowKind.UPDATE_AFTER;
        case DELETE -> RowKind.DELETE;
        case TRUNCATE ->
            throw new IllegalArgumentException(
                "Cannot empty a Pinot table (expected: no TRUNCATE of "
                    + FlightDatabase.TABLE
                    + ")");
      };
    }

    @Override
    public GenericRow convertToRow(RowData change) {
      int position = operation(change) == Operation.DELETE ? before : after;
      Map<?, ?> image = image(change.getString(position).toString());
      GenericRow row = new GenericRow();
      image.forEach((column, value) -> row.putValue((String) column, value));
      row.putValue("id", number(image, "id"));
      row.putValue("delay_minutes", number(image, "delay_minutes"));
      row.putValue("distance_miles", number(image, "distance_miles"));
      row.putValue(FlightColumns.TIME, LocalDateTime.parse((String) image.get(FlightColumns.TIME)));
      row.putValue(LedgerSchema.CDC_ORD, change.getString(order).toString());
      row.putValue(DELETED, false);
      return row;
    }

    @Override
    public RowData convertFromRow(GenericRow row) {
      throw new UnsupportedOperationException("Cannot make a change of a row");
    }

    private Operation operation(RowData change) {
      return Operation.ofCode(change.getString(operation).toString());
    }

    private static int number(Map<?, ?> image, String column) {
      if (image.get(column) instanceof Long value) {
        return Math.toIntExact(value);
      }
      throw new IllegalArgumentException(
          "Invalid " + column + " in " + image + " (expected: a whole number)");
    }

    private static Map<?, ?> image(String json) {
      try {
        if (JsonReader.read(json) instanceof Map<?, ?> image) {
          return image;
        }
      } catch (MalformedJsonException e) {
        throw new IllegalArgumentException("Cannot read the image " + json, e);
      }
      throw new IllegalArgumentException("Invalid image: " + json + " (expected: an object)");
    }
  }
}

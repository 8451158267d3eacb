package dev.tidemark.quickstart.pinot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.flights.Flight;
import dev.tidemark.quickstart.flights.FlightChange;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/** The columns of a change of a flight in an upsert table of Pinot, and who brought it. */
final class ChangeColumns {
  static final String CHANGED_AT = "changed_at";
  static final String DELETED = "deleted";
  static final String BROUGHT_BY = "brought_by";
  static final String SELECTED = FlightColumns.SELECTED + ", changed_at, brought_by";

  private static final ObjectMapper JSON = new ObjectMapper();

  private ChangeColumns() {}

  static Schema schema(String table) {
    Schema schema = FlightColumns.schema(table);
    schema.addField(
        new Schema.SchemaBuilder()
            .addDateTime(CHANGED_AT, DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
            .build()
            .getFieldSpecFor(CHANGED_AT));
    schema.addField(UpsertTables.dimension(DELETED, DataType.BOOLEAN));
    schema.addField(UpsertTables.dimension(BROUGHT_BY, DataType.STRING));
    schema.setPrimaryKeyColumns(List.of("id"));
    return schema;
  }

  static TableConfig config(String table, PinotCluster pinot, String kafka, String topic) {
    return UpsertTables.config(
        table,
        new UpsertTables.Columns(CHANGED_AT, CHANGED_AT, DELETED),
        pinot.jsonFromKafka(kafka, topic));
  }

  static long changedAtMillis(FlightChange change) {
    return change.at().toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  /** The message of a change in the stream. */
  static String json(FlightChange change) {
    Flight flight = change.flight();
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", flight.id());
    message.put(FlightColumns.TIME, FlightColumns.departureMillis(flight));
    message.put("delay_minutes", flight.delayMinutes());
    message.put("distance_miles", flight.distanceMiles());
    message.put("origin", flight.origin());
    message.put("destination", flight.destination());
    message.put(CHANGED_AT, changedAtMillis(change));
    message.put(DELETED, change.kind() == FlightChange.Kind.DELETE);
    message.put(BROUGHT_BY, "stream");
    try {
      return JSON.writeValueAsString(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write as JSON: " + message, e);
    }
  }

  /** The event time is the time of the change. */
  static final class EventTime implements EventTimeExtractor<FlightChange> {
    private static final long serialVersionUID = 1L;

    @Override
    public long eventTimeMillis(FlightChange change) {
      return changedAtMillis(change);
    }
  }

  /** A change as a row that the backfill brings; a deletion becomes a tombstone by its kind. */
  static final class Converter implements PinotGenericRowConverter<FlightChange> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(FlightChange change) {
      GenericRow row = new GenericRow();
      FlightColumns.put(row, change.flight());
      row.putValue(CHANGED_AT, change.at());
      row.putValue(DELETED, false);
      row.putValue(BROUGHT_BY, "backfill");
      return row;
    }

    @Override
    public FlightChange convertFromRow(GenericRow row) {
      throw new UnsupportedOperationException("Cannot make a change of a row");
    }

    @Override
    public RowKind kind(FlightChange change) {
      return switch (change.kind()) {
        case INSERT -> RowKind.INSERT;
        case CORRECT -> RowKind.UPDATE_AFTER;
        case DELETE -> RowKind.DELETE;
      };
    }
  }
}

package dev.tidemark.quickstart.pinot;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.quickstart.flights.Flight;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/** The columns of a flight in Pinot. */
public final class FlightColumns {
  public static final String TIME = "departure";

  /** In the order of {@link #values}, the key first. */
  public static final String SELECTED =
      "id, departure, delay_minutes, distance_miles, origin, destination";

  private FlightColumns() {}

  /** A schema of these columns, without a key. */
  public static Schema schema(String table) {
    return new Schema.SchemaBuilder()
        .setSchemaName(table)
        .addSingleValueDimension("id", DataType.INT)
        .addSingleValueDimension("delay_minutes", DataType.INT)
        .addSingleValueDimension("distance_miles", DataType.INT)
        .addSingleValueDimension("origin", DataType.STRING)
        .addSingleValueDimension("destination", DataType.STRING)
        .addDateTime(TIME, DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .build();
  }

  /** What a query for the columns brings for these flights. */
  public static SortedMap<Integer, Object> values(Collection<Flight> flights) {
    SortedMap<Integer, Object> values = new TreeMap<>();
    for (Flight flight : flights) {
      values.put(flight.id(), values(flight));
    }
    return values;
  }

  /** The same of one flight, without its key. */
  static List<Object> values(Flight flight) {
    return List.of(
        departureMillis(flight),
        flight.delayMinutes(),
        flight.distanceMiles(),
        flight.origin(),
        flight.destination());
  }

  static void put(GenericRow row, Flight flight) {
    row.putValue("id", flight.id());
    row.putValue(TIME, flight.departure());
    row.putValue("delay_minutes", flight.delayMinutes());
    row.putValue("distance_miles", flight.distanceMiles());
    row.putValue("origin", flight.origin());
    row.putValue("destination", flight.destination());
  }

  static long departureMillis(Flight flight) {
    return flight.departure().toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  /** The event time is the departure. */
  static final class EventTime implements EventTimeExtractor<Flight> {
    private static final long serialVersionUID = 1L;

    @Override
    public long eventTimeMillis(Flight flight) {
      return departureMillis(flight);
    }
  }

  /** A flight as a row. */
  static final class Converter implements PinotGenericRowConverter<Flight> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(Flight flight) {
      GenericRow row = new GenericRow();
      put(row, flight);
      return row;
    }

    @Override
    public Flight convertFromRow(GenericRow row) {
      throw new UnsupportedOperationException("Cannot make a flight of a row");
    }
  }
}

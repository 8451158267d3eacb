package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.TableSchema;
import dev.tidemark.quickstart.flights.Flight;
import dev.tidemark.quickstart.flights.FlightChange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The flights table in MariaDB. One thread per connection. */
final class FlightDatabase {
  static final String DATABASE = "air";
  static final TableId TABLE = new TableId(DATABASE, "flights");

  /** The columns as Debezium writes them. */
  static final TableSchema SCHEMA =
      TableSchema.of(
          Column.required("id", ColumnType.of(ColumnType.Kind.INT32)),
          Column.required("departure", ColumnType.of(ColumnType.Kind.DATETIME_MICROS)),
          Column.required("delay_minutes", ColumnType.of(ColumnType.Kind.INT32)),
          Column.required("distance_miles", ColumnType.of(ColumnType.Kind.INT32)),
          Column.required("origin", ColumnType.of(ColumnType.Kind.STRING)),
          Column.required("destination", ColumnType.of(ColumnType.Kind.STRING)));

  private final Connection connection;

  FlightDatabase(Connection connection) {
    this.connection = connection;
  }

  void createTable() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE IF NOT EXISTS " + DATABASE);
      statement.execute(
          """
          CREATE TABLE air.flights (
            id INT NOT NULL PRIMARY KEY,
            departure DATETIME(6) NOT NULL,
            delay_minutes INT NOT NULL,
            distance_miles INT NOT NULL,
            origin CHAR(3) NOT NULL,
            destination CHAR(3) NOT NULL)
          """);
    }
  }

  /** Applies changes in order, in one transaction. */
  void apply(List<FlightChange> changes) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO air.flights VALUES (?, ?, ?, ?, ?, ?)");
        PreparedStatement correct =
            connection.prepareStatement("UPDATE air.flights SET delay_minutes = ? WHERE id = ?");
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM air.flights WHERE id = ?")) {
      for (FlightChange change : changes) {
        Flight flight = change.flight();
        switch (change.kind()) {
          case INSERT -> insert(insert, flight);
          case CORRECT -> execute(correct, flight.delayMinutes(), flight.id());
          case DELETE -> execute(delete, flight.id());
        }
      }
      connection.commit();
    }
  }

  /**
   * Gives rows other ids, in one transaction.
   *
   * @param newIds by the ids that they have
   */
  void renumber(Map<Integer, Integer> newIds) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement renumber =
        connection.prepareStatement("UPDATE air.flights SET id = ? WHERE id = ?")) {
      for (Map.Entry<Integer, Integer> ids : newIds.entrySet()) {
        execute(renumber, ids.getValue(), ids.getKey());
      }
      connection.commit();
    }
  }

  /** All rows by id. */
  SortedMap<Integer, Flight> flights() throws SQLException {
    SortedMap<Integer, Flight> flights = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT id, departure, delay_minutes, distance_miles, origin, destination"
                    + " FROM air.flights")) {
      while (row.next()) {
        Flight flight =
            new Flight(
                row.getInt(1),
                row.getObject(2, LocalDateTime.class),
                row.getInt(3),
                row.getInt(4),
                row.getString(5),
                row.getString(6));
        flights.put(flight.id(), flight);
      }
    }
    return flights;
  }

  /** All rows by id, as the images of a ledger would hold them. */
  SortedMap<Integer, String> rows() throws SQLException {
    SortedMap<Integer, String> rows = new TreeMap<>();
    flights().forEach((id, flight) -> rows.put(id, image(flight).toJson()));
    return rows;
  }

  private static RowImage image(Flight flight) {
    Map<String, Object> columns = new LinkedHashMap<>();
    columns.put("id", (long) flight.id());
    columns.put("departure", flight.departure());
    columns.put("delay_minutes", (long) flight.delayMinutes());
    columns.put("distance_miles", (long) flight.distanceMiles());
    columns.put("origin", flight.origin());
    columns.put("destination", flight.destination());
    return RowImage.of(columns);
  }

  private static void insert(PreparedStatement insert, Flight flight) throws SQLException {
    insert.setInt(1, flight.id());
    insert.setObject(2, flight.departure());
    insert.setInt(3, flight.delayMinutes());
    insert.setInt(4, flight.distanceMiles());
    insert.setString(5, flight.origin());
    insert.setString(6, flight.destination());
    insert.executeUpdate();
  }

  private static void execute(PreparedStatement statement, int... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setInt(i + 1, values[i]);
    }
    statement.executeUpdate();
  }
}

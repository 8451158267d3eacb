package dev.tidemark.spark.source;

import dev.tidemark.spark.plan.SessionSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A table of a database, read through Spark's JDBC source.
 *
 * @param name of the table, or a query in brackets with an alias
 * @param options of Spark's JDBC source, over those that reading it right needs
 */
public record SourceTable(SourceDatabase database, String name, Map<String, String> options) {
  /** Else Spark fills a CHAR up with blanks, which neither database nor change events do. */
  private static final Map<String, String> AS_STORED =
      Map.of("spark.sql.readSideCharPadding", "false");

  public SourceTable {
    options = Map.copyOf(options);
  }

  /** A table, read over one connection. */
  public static SourceTable of(SourceDatabase database, String name) {
    return new SourceTable(database, name, Map.of());
  }

  /**
   * The same table read over several connections, each for a range of a column. They do not read at
   * one point of time: a row is read twice, or not at all, if an UPDATE moves it from one range to
   * another meanwhile. With a column of the primary key that makes it another row.
   *
   * @param column of whole numbers, never null; of the primary key, unless nobody writes
   * @throws SQLException if the database cannot be asked for the ends
   */
  public SourceTable over(int connections, String column) throws SQLException {
    if (connections < 1) {
      throw new IllegalArgumentException("connections: " + connections + " (expected: >= 1)");
    }
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet ends =
            statement.executeQuery(
                "SELECT MIN(%1$s), MAX(%1$s) FROM %2$s".formatted(column, name))) {
      ends.next();
      String least = ends.getString(1);
      return least == null ? this : over(connections, column, least, ends.getString(2));
    }
  }

  private SourceTable over(int connections, String column, String least, String greatest) {
    Map<String, String> more = new HashMap<>(options);
    more.put("numPartitions", Integer.toString(connections));
    more.put("partitionColumn", column);
    more.put("lowerBound", least);
    more.put("upperBound", greatest);
    return new SourceTable(database, name, more);
  }

  /**
   * Its rows; none is read yet.
   *
   * @throws SQLException if the database cannot be reached
   */
  public Dataset<Row> rows(SparkSession spark) throws SQLException {
    // Spark would say so too, but might say the password with it.
    database.connect().close();
    return SessionSettings.run(
        spark,
        AS_STORED,
        () ->
            spark
                .read()
                .format("jdbc")
                .options(database.sparkOptions())
                .options(options)
                .option("dbtable", name)
                .load());
  }

  /** {@code shop.orders of jdbc:mariadb://db/shop}, without options and passwords. */
  @Override
  public String toString() {
    return name + " of " + database;
  }
}

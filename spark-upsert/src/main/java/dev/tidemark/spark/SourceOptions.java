package dev.tidemark.spark;

import dev.tidemark.spark.source.SourceDatabase;
import dev.tidemark.spark.source.SourceTable;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The options that name a table of a database; nobody is asked yet.
 *
 * @param variable of the environment, which holds the password; null for none
 * @param split the column to read ranges of; null to read over one connection
 */
record SourceOptions(
    String url,
    @Nullable String user,
    @Nullable String variable,
    String table,
    @Nullable String split,
    int connections) {

  static SourceOptions of(Arguments arguments) {
    return new SourceOptions(
        arguments.required("url"),
        arguments.optional("user"),
        arguments.optional("password-env"),
        arguments.required("table"),
        arguments.optional("split-by"),
        arguments.number("connections", 4, 1));
  }

  /**
   * The table.
   *
   * @throws SQLException if the database cannot be asked for the ends of the ranges
   */
  SourceTable open() throws SQLException {
    SourceTable whole = SourceTable.of(SourceDatabase.of(url, user, variable), table);
    return split == null ? whole : whole.over(connections, split);
  }
}

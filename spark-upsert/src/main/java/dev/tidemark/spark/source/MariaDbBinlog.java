package dev.tidemark.spark.source;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The binlog of a MariaDB server, asked over a connection that is in no transaction. */
public final class MariaDbBinlog {
  private final Connection source;

  public MariaDbBinlog(Connection source) {
    this.source = source;
  }

  /**
   * A position up to which every change can be seen by whoever reads from now on. A dump that
   * begins after it may hold later changes too: the ledger brings those again, in their order, and
   * the last of them wins. So a dump may be read over many connections and while the source is
   * written.
   *
   * <p>It is the position of a consistent snapshot. {@code @@gtid_current_pos} is none: a
   * transaction counts there once it is written to the binlog, and can be seen only when its commit
   * has ended; whoever reads in between misses it.
   *
   * @throws SQLException if the source cannot be asked, or writes no binlog of one GTID domain
   */
  public BinlogPosition position() throws SQLException {
    try (Statement statement = source.createStatement()) {
      Instant time = Instant.ofEpochMilli(millis(statement));
      String written = gtids(snapshot(statement));
      // A replica that does not write what it replicates to a binlog of its own knows it here, once
      // it is committed.
      String replicated = text(statement, "SELECT @@gtid_slave_pos");
      return new BinlogPosition(last(written + "," + replicated), time);
    }
  }

  private static long millis(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT UNIX_TIMESTAMP(NOW(3)) * 1000")) {
      row.next();
      return row.getBigDecimal(1).longValue();
    }
  }

  /** Where the binlog stands in a snapshot of the whole server, which is given up at once. */
  private static Map<String, String> snapshot(Statement statement) throws SQLException {
    statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    try {
      return variables(statement, "SHOW STATUS LIKE 'binlog_snapshot_%'");
    } finally {
      statement.execute("ROLLBACK");
    }
  }

  private String gtids(Map<String, String> snapshot) throws SQLException {
    String file = snapshot.get("binlog_snapshot_file");
    String offset = snapshot.get("binlog_snapshot_position");
    if (file == null || offset == null || file.isEmpty()) {
      return "";
    }
    try (PreparedStatement statement = source.prepareStatement("SELECT BINLOG_GTID_POS(?, ?)")) {
      statement.setString(1, file);
      statement.setLong(2, Long.parseLong(offset));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Objects.requireNonNullElse(row.getString(1), "");
      }
    }
  }

  private static Gtid last(String positions) throws SQLException {
    Gtid last = null;
    for (String text : positions.split(",")) {
      if (!text.isBlank()) {
        Gtid gtid = Gtid.parse(text.strip()).orElseThrow(() -> notOne(positions));
        if (last != null && gtid.domain() != last.domain()) {
          throw notOne(positions);
        }
        last =
            last == null || Long.compareUnsigned(gtid.sequence(), last.sequence()) > 0
                ? gtid
                : last;
      }
    }
    if (last == null) {
      throw notOne(positions);
    }
    return last;
  }

  private static SQLException notOne(String positions) {
    return new SQLException(
        "Cannot take a position: the source stands at \"%s\" (expected: one GTID, such as 0-1-42). It needs log_bin, a transaction in it, and a single gtid_domain_id: sequences of several cannot be compared."
            .formatted(positions));
  }

  /**
   * How long the server keeps its binlog.
   *
   * @throws SQLException if it cannot be asked, or does not say
   */
  public BinlogRetention retention() throws SQLException {
    try (Statement statement = source.createStatement()) {
      return BinlogRetention.of(
          variables(
              statement,
              "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_bin',"
                  + " 'binlog_expire_logs_seconds', 'expire_logs_days', 'max_binlog_total_size')"));
    }
  }

  private static Map<String, String> variables(Statement statement, String query)
      throws SQLException {
    Map<String, String> variables = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    try (ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        variables.put(row.getString(1), row.getString(2));
      }
    }
    return variables;
  }

  private static String text(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return Objects.requireNonNullElse(row.getString(1), "");
    }
  }
}

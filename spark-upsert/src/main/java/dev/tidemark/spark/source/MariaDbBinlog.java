package dev.tidemark.spark.source;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

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
   * written; but of this server alone, since another one may be behind it.
   *
   * <p>Of a server that does not replicate it is the binlog's place in a consistent snapshot.
   * {@code @@gtid_current_pos} is none: a transaction counts there once it is written to the
   * binlog, and can be seen only when its commit has ended; whoever reads in between misses it.
   *
   * <p>Of a replica it is {@code @@gtid_slave_pos}, running, stopped or failed, with a binlog of
   * its own or without: a transaction counts there once its commit has ended, and commits are in
   * the order of the domain, also those of parallel threads. What clients wrote to the replica
   * itself takes sequences that the source gives to other transactions, which the replica may not
   * have yet: it is no part of the position.
   *
   * <p>An XA transaction is in the binlog once it is prepared, and change events take that place;
   * it can be read once it is committed. While one is prepared there is no position.
   *
   * <p>A promoted server counts as a replica while it has a connection to its former source,
   * stopped or not: its position is then where it stood as one, an earlier one than it could give.
   * {@code RESET REPLICA ALL} takes the connection away.
   *
   * <p>The time is this server's now. A replica that is behind has not seen all changes up to it.
   *
   * @throws SQLException if the source cannot be asked, writes no binlog of one GTID domain, may be
   *     a replica that was written and does not say, or has a prepared XA transaction
   */
  public BinlogPosition position() throws SQLException {
    try (Statement statement = source.createStatement()) {
      Instant time = Instant.ofEpochMilli(millis(statement));
      List<Gtid> written = list(gtids(snapshot(statement)));
      List<Gtid> replicated = list(text(statement, "SELECT @@gtid_slave_pos"));
      Gtid last = last(statement, written, replicated);
      refusePrepared(statement, last);
      return new BinlogPosition(last, time);
    }
  }

  private static Gtid last(Statement statement, List<Gtid> written, List<Gtid> replicated)
      throws SQLException {
    if (replicated.isEmpty()) {
      return written(written);
    }
    Gtid applied = applied(replicated);
    long self = Long.parseLong(text(statement, "SELECT @@server_id"));
    boolean wroteSince =
        written.stream().anyMatch(gtid -> gtid.server() == self && !covers(applied, gtid));
    return wroteSince && !isReplica(statement, written, applied) ? written(written) : applied;
  }

  private static boolean covers(Gtid applied, Gtid other) {
    return other.domain() == applied.domain()
        && Long.compareUnsigned(other.sequence(), applied.sequence()) <= 0;
  }

  /**
   * Whether it still replicates, or would once started; what a promoted server has replicated stays
   * in its {@code gtid_slave_pos}.
   */
  private static boolean isReplica(Statement statement, List<Gtid> written, Gtid applied)
      throws SQLException {
    try (ResultSet connections = statement.executeQuery("SHOW ALL SLAVES STATUS")) {
      return connections.next();
    } catch (SQLException e) {
      throw new SQLException(
          "Cannot take a position: the source replicated up to %s, wrote %s itself, and does not say whether it is a replica still (expected: SLAVE MONITOR granted to its user): %s"
              .formatted(applied, written, e.getMessage()),
          e);
    }
  }

  private static void refusePrepared(Statement statement, Gtid last) throws SQLException {
    try (ResultSet prepared = statement.executeQuery("XA RECOVER")) {
      if (prepared.next()) {
        throw new SQLException(
            "Cannot take a position: XA transaction \"%s\" is prepared; its changes may be in front of %s and cannot be read before it is committed (expected: none prepared; take the position again when it has ended)"
                .formatted(prepared.getString("data"), last));
      }
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

  private static List<Gtid> list(String text) throws SQLException {
    List<Gtid> gtids = new ArrayList<>();
    for (String one : text.split(",")) {
      if (!one.isBlank()) {
        gtids.add(Gtid.parse(one.strip()).orElseThrow(() -> notOne(text)));
      }
    }
    return gtids;
  }

  private static Gtid written(List<Gtid> gtids) throws SQLException {
    if (gtids.isEmpty()) {
      throw new SQLException(
          "Cannot take a position: the source has written no transaction to a binlog and has replicated none (expected: one GTID, such as 0-1-42). A source needs log_bin and a transaction; a replica needs to have replicated one.");
    }
    return only("its binlog stands at", gtids);
  }

  private static Gtid applied(List<Gtid> gtids) throws SQLException {
    return only("the source is a replica, or was one, and its gtid_slave_pos is", gtids);
  }

  private static Gtid only(String what, List<Gtid> gtids) throws SQLException {
    if (gtids.size() != 1) {
      throw new SQLException(
          "Cannot take a position: %s \"%s\" (expected: one GTID, such as 0-1-42). Sequences of several gtid_domain_ids cannot be compared: it needs a single one."
              .formatted(
                  what, gtids.stream().map(Gtid::toString).collect(Collectors.joining(","))));
    }
    return gtids.get(0);
  }

  private static SQLException notOne(String positions) {
    return new SQLException(
        "Cannot take a position: the source stands at \"%s\" (expected: GTIDs, such as 0-1-42)"
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

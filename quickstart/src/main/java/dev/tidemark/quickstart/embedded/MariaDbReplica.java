package dev.tidemark.quickstart.embedded;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A second server that replicates all of an {@link EmbeddedMariaDb} by GTID, from its first
 * transaction on, with four parallel threads that commit in the source's order. A process of its
 * own, as that one is; safe for several threads.
 */
public final class MariaDbReplica implements AutoCloseable {
  /** What a replica writes to a binary log of its own. */
  public enum Binlog {
    /** It has none. */
    NONE,
    /** What clients write to the replica itself, which is what {@code log_bin} alone means. */
    OWN_CHANGES,
    /** All of that and what it replicates: {@code log_slave_updates}. */
    ALL_CHANGES
  }

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EmbeddedMariaDb source;
  private final EmbeddedMariaDb replica;

  private MariaDbReplica(EmbeddedMariaDb source, EmbeddedMariaDb replica) {
    this.source = source;
    this.replica = replica;
  }

  /**
   * Starts a replica, which has not caught up yet.
   *
   * @param source must have its first binlog file
   * @throws SQLException if it does not take the source
   * @throws IllegalStateException if the server does not come up
   */
  public static MariaDbReplica of(EmbeddedMariaDb source, Binlog binlog) throws SQLException {
    MariaDbReplica replica =
        new MariaDbReplica(
            source, EmbeddedMariaDb.start(line -> {}, port -> options(port, binlog)));
    try {
      replica.execute(
          "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = '%s', MASTER_PASSWORD = '%2$s', MASTER_SSL = 0, MASTER_USE_GTID = slave_pos"
              .formatted(source.port(), EmbeddedMariaDb.USER));
      replica.execute("START REPLICA");
      return replica;
    } catch (SQLException e) {
      replica.close();
      throw e;
    }
  }

  private static List<String> options(int port, Binlog binlog) {
    List<String> options = new ArrayList<>();
    // It must differ from the source's and from any other replica's.
    options.add("--server-id=" + port);
    options.add("--slave-parallel-threads=4");
    options.add(binlog == Binlog.NONE ? "--skip-log-bin" : "--log-bin=binlog");
    options.add("--log-slave-updates=" + (binlog == Binlog.ALL_CHANGES ? "ON" : "OFF"));
    return options;
  }

  /** The port on 127.0.0.1. */
  public int port() {
    return replica.port();
  }

  /**
   * Opens a connection to the replica, which the caller closes; to no database, for it creates
   * none.
   */
  public Connection connect() throws SQLException {
    return replica.connect("");
  }

  /** Applies no more: it stands still, at the end of a transaction, until {@link #resume}. */
  public void standStill() throws SQLException {
    execute("STOP REPLICA SQL_THREAD");
  }

  /** Applies again. */
  public void resume() throws SQLException {
    execute("START REPLICA");
  }

  /**
   * Waits until it has applied all that its source has written so far.
   *
   * @throws IllegalStateException if it does not within a minute, with what it says of itself
   */
  public void awaitCaughtUp() throws SQLException {
    String written;
    try (Connection connection = source.connect("");
        Statement statement = connection.createStatement()) {
      written = text(statement, "SELECT @@gtid_binlog_pos AS pos", "pos");
    }
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      String wait =
          "SELECT MASTER_GTID_WAIT('%s', %d) AS status".formatted(written, PATIENCE.toSeconds());
      if (!text(statement, wait, "status").equals("0")) {
        throw new IllegalStateException(
            "Cannot reach %s on the replica: it stands at %s (expected: there within %d s). Its last error: %s"
                .formatted(
                    written,
                    text(statement, "SELECT @@gtid_slave_pos AS pos", "pos"),
                    PATIENCE.toSeconds(),
                    text(statement, "SHOW REPLICA STATUS", "Last_SQL_Error")));
      }
    }
  }

  private static String text(Statement statement, String query, String column) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(column);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Kills the server and removes its data. */
  @Override
  public void close() {
    replica.close();
  }
}

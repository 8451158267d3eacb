package dev.tidemark.quickstart.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.spark.source.MariaDbBinlog;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The position that a dump of a replica gets, for each kind of replica and in each of its states.
 */
class ReplicaPositionITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of their own, since the common pool has one thread on two cores. */
  private static final ExecutorService writers = Executors.newCachedThreadPool();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static EmbeddedMariaDb source;

  @BeforeAll
  static void start() throws SQLException {
    source = EmbeddedMariaDb.start();
    execute(source.connect("shop"), "CREATE TABLE shop.ticks (id INT AUTO_INCREMENT PRIMARY KEY)");
  }

  @AfterAll
  static void stop() {
    writers.shutdownNow();
    source.close();
  }

  @ParameterizedTest
  @EnumSource
  void replicaThatIsBehindGivesWhereItStands(MariaDbReplica.Binlog binlog) throws Exception {
    try (MariaDbReplica replica = caughtUp(binlog)) {
      String stands = sourceStands();
      assertThat(position(replica)).hasToString(stands);
      replica.standStill();
      tick();
      assertThat(sourceStands()).isNotEqualTo(stands);
      assertThat(position(replica)).hasToString(stands);
      replica.resume();
      replica.awaitCaughtUp();
      assertThat(position(replica)).hasToString(sourceStands());
    }
  }

  /**
   * Its own transactions take the sequences of the source's next ones. It goes on over them if it
   * has no binlog that holds both, else it fails: strict GTIDs.
   */
  @ParameterizedTest
  @EnumSource
  void whatClientsWriteToAReplicaIsNoPartOfItsPosition(MariaDbReplica.Binlog binlog)
      throws Exception {
    try (MariaDbReplica replica = caughtUp(binlog)) {
      replica.standStill();
      String stands = sourceStands();
      execute(replica.connect(), "CREATE DATABASE own", "CREATE TABLE own.t (id INT)");
      tick();
      assertThat(position(replica)).hasToString(stands);
      replica.resume();
      if (binlog == MariaDbReplica.Binlog.ALL_CHANGES) {
        await().atMost(PATIENCE).until(() -> failed(replica));
        assertThat(position(replica)).hasToString(stands);
      } else {
        replica.awaitCaughtUp();
        assertThat(position(replica)).hasToString(sourceStands());
      }
    }
  }

  /** After failover: the binlog of the new source is what its position is of. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void replicaThatWasPromotedGivesItsBinlog(MariaDbReplica.Binlog binlog) throws Exception {
    try (MariaDbReplica replica = caughtUp(binlog)) {
      execute(
          replica.connect(),
          "STOP REPLICA",
          "RESET REPLICA ALL",
          "INSERT INTO shop.ticks VALUES ()");
      assertThat(position(replica))
          .isEqualTo(
              new Gtid(0, replica.port(), Gtid.parse(sourceStands()).orElseThrow().sequence() + 1));
    }
  }

  /** Its former source is not forgotten: the ledger brings its own changes since then again. */
  @ParameterizedTest
  @EnumSource
  void replicaThatWasPromotedByAStopAloneGivesWhereItStood(MariaDbReplica.Binlog binlog)
      throws Exception {
    try (MariaDbReplica replica = caughtUp(binlog)) {
      execute(replica.connect(), "STOP REPLICA", "INSERT INTO shop.ticks VALUES ()");
      assertThat(position(replica)).hasToString(sourceStands());
    }
  }

  @Test
  void replicaThatHasReplicatedNothingYetIsToldSo() throws Exception {
    try (MariaDbReplica replica = MariaDbReplica.of(source, MariaDbReplica.Binlog.NONE)) {
      execute(replica.connect(), "STOP REPLICA", "SET GLOBAL gtid_slave_pos = ''");
      assertThatThrownBy(() -> position(replica))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("has written no transaction to a binlog and has replicated none")
          .hasMessageContaining("a replica needs to have replicated one");
    }
  }

  @Test
  void severalDomainsOfAReplicaAreNotTakenForABinlogThatIsMissing() throws Exception {
    try (MariaDbReplica replica = caughtUp(MariaDbReplica.Binlog.NONE)) {
      String stands = sourceStands() + ",7-1-42";
      execute(replica.connect(), "STOP REPLICA", "SET GLOBAL gtid_slave_pos = '" + stands + "'");
      assertThatThrownBy(() -> position(replica))
          .hasMessageContaining("its gtid_slave_pos is \"" + stands + "\"")
          .hasMessageContaining("it needs a single one")
          .message()
          .doesNotContain("log_bin");
    }
  }

  @Test
  void serverThatDoesNotSayWhetherItReplicatesIsRefused() throws Exception {
    try (MariaDbReplica replica = caughtUp(MariaDbReplica.Binlog.OWN_CHANGES)) {
      String stands = sourceStands();
      execute(replica.connect(), "CREATE USER reader@'%' IDENTIFIED BY 'hush'");
      String url = "jdbc:mariadb://127.0.0.1:%d/?sslMode=disable".formatted(replica.port());
      try (Connection reader = DriverManager.getConnection(url, "reader", "hush")) {
        assertThatThrownBy(() -> new MariaDbBinlog(reader).position())
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("the source replicated up to " + stands)
            .hasMessageContaining("expected: SLAVE MONITOR granted to its user");
        execute(replica.connect(), "GRANT SLAVE MONITOR ON *.* TO reader@'%'");
      }
      try (Connection reader = DriverManager.getConnection(url, "reader", "hush")) {
        assertThat(new MariaDbBinlog(reader).position().gtid()).hasToString(stands);
      }
    }
  }

  /**
   * The replica's own commit waits, for a replica of its own that does not exist, when it is in its
   * binlog already and cannot be read.
   */
  @Test
  void transactionWhoseCommitWaitsIsNotInFrontOfThePosition() throws Exception {
    try (MariaDbReplica replica = caughtUp(MariaDbReplica.Binlog.ALL_CHANGES);
        Connection connection = replica.connect()) {
      String stands = sourceStands();
      long rows = rows(connection);
      execute(
          replica.connect(),
          "SET GLOBAL rpl_semi_sync_master_timeout = 600000",
          "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
          "SET GLOBAL rpl_semi_sync_master_enabled = ON");
      tick();
      await()
          .atMost(PATIENCE)
          .until(() -> text(connection, "SELECT @@gtid_binlog_pos").equals(sourceStands()));
      assertThat(position(replica)).hasToString(stands);
      assertThat(rows(connection)).isEqualTo(rows);
      execute(replica.connect(), "SET GLOBAL rpl_semi_sync_master_enabled = OFF");
      replica.awaitCaughtUp();
      assertThat(position(replica)).hasToString(sourceStands());
      assertThat(rows(connection)).isEqualTo(rows + 1);
    }
  }

  @Test
  void preparedTransactionIsRefusedByBoth() throws Exception {
    try (MariaDbReplica replica = caughtUp(MariaDbReplica.Binlog.ALL_CHANGES);
        Connection connection = source.connect("");
        Statement statement = connection.createStatement()) {
      for (String sql :
          List.of(
              "XA START 'two'",
              "INSERT INTO shop.ticks VALUES ()",
              "XA END 'two'",
              "XA PREPARE 'two'")) {
        statement.execute(sql);
      }
      try {
        replica.awaitCaughtUp();
        try (Connection asked = source.connect("")) {
          assertThatThrownBy(() -> new MariaDbBinlog(asked).position())
              .hasMessageContaining("XA transaction \"two\" is prepared");
        }
        assertThatThrownBy(() -> position(replica))
            .hasMessageContaining("XA transaction \"two\" is prepared");
        statement.execute("XA COMMIT 'two'");
      } finally {
        rollBackPrepared(statement);
      }
      replica.awaitCaughtUp();
      assertThat(position(replica)).hasToString(sourceStands());
    }
  }

  /** It would outlive its connection, and with it this test. */
  private static void rollBackPrepared(Statement statement) throws SQLException {
    boolean isPrepared;
    try (ResultSet prepared = statement.executeQuery("XA RECOVER")) {
      isPrepared = prepared.next();
    }
    if (isPrepared) {
      statement.execute("XA ROLLBACK 'two'");
    }
  }

  /**
   * One row a transaction, so a position says how many rows whoever reads after it sees at least.
   * The source is written until enough different positions were taken.
   */
  @ParameterizedTest
  @EnumSource
  void positionIsNeverAheadOfWhatCanBeReadWhileParallelThreadsApply(MariaDbReplica.Binlog binlog)
      throws Exception {
    int positions = 30;
    AtomicBoolean isEnough = new AtomicBoolean();
    List<CompletableFuture<Void>> writing = new ArrayList<>();
    try (MariaDbReplica replica = caughtUp(binlog);
        Connection asked = replica.connect();
        Connection read = replica.connect()) {
      long startRows = rows(read);
      long startSequence = Gtid.parse(sourceStands()).orElseThrow().sequence();
      for (int i = 0; i < 4; i++) {
        writing.add(CompletableFuture.runAsync(() -> tickUntil(isEnough), writers));
      }
      Set<Long> taken = new HashSet<>();
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                writing.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
                long position =
                    new MariaDbBinlog(asked).position().gtid().sequence() - startSequence;
                assertThat(rows(read) - startRows)
                    .as("rows that are there at position %d", position)
                    .isGreaterThanOrEqualTo(position);
                taken.add(position);
                return taken.size() >= positions;
              });
      isEnough.set(true);
      writing.forEach(CompletableFuture::join);
      replica.awaitCaughtUp();
      assertThat(position(replica)).hasToString(sourceStands());
      assertThat(rows(read) - startRows)
          .isEqualTo(position(replica).sequence() - startSequence)
          .isGreaterThan(positions - 1);
    } finally {
      isEnough.set(true);
    }
  }

  private static MariaDbReplica caughtUp(MariaDbReplica.Binlog binlog) throws SQLException {
    tick();
    MariaDbReplica replica = MariaDbReplica.of(source, binlog);
    try {
      replica.awaitCaughtUp();
      return replica;
    } catch (SQLException | RuntimeException e) {
      replica.close();
      throw e;
    }
  }

  private static Gtid position(MariaDbReplica replica) throws SQLException {
    try (Connection connection = replica.connect()) {
      return new MariaDbBinlog(connection).position().gtid();
    }
  }

  private static boolean failed(MariaDbReplica replica) throws SQLException {
    try (Connection connection = replica.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW REPLICA STATUS")) {
      row.next();
      return row.getString("Last_SQL_Error").contains("out-of-order sequence number");
    }
  }

  private static void tick() throws SQLException {
    execute(source.connect(""), "INSERT INTO shop.ticks VALUES ()");
  }

  private static void tickUntil(AtomicBoolean isEnough) {
    try (Connection connection = source.connect("");
        Statement statement = connection.createStatement()) {
      while (!isEnough.get()) {
        statement.execute("INSERT INTO shop.ticks VALUES ()");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String sourceStands() throws SQLException {
    try (Connection connection = source.connect("")) {
      return text(connection, "SELECT @@gtid_binlog_pos");
    }
  }

  private static long rows(Connection connection) throws SQLException {
    return Long.parseLong(text(connection, "SELECT COUNT(*) FROM shop.ticks"));
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Runs statements and closes the connection. */
  private static void execute(Connection connection, String... statements) throws SQLException {
    try (connection;
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }
}

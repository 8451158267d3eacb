package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.quickstart.embedded.MariaDbReplica;
import dev.tidemark.quickstart.program.RowComparison;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dumps of replicas, of each kind, behind their source and not; the source is written all along.
 */
@NullUnmarked
class ReplicaBootstrapITCase {
  private static final int FIRST_ROWS = 1_000;
  private static final long SEED = 20_261_201;
  private static final TableIdentifier LEDGER = TableIdentifier.of("shop", "orders_ledger");

  @TempDir static Path directory;

  private static OrdersPipeline pipeline;
  private static final Map<MariaDbReplica.Binlog, MariaDbReplica> replicas =
      new EnumMap<>(MariaDbReplica.Binlog.class);

  @BeforeAll
  static void start() throws Exception {
    pipeline = OrdersPipeline.start(directory, Map.of());
    for (MariaDbReplica.Binlog binlog : MariaDbReplica.Binlog.values()) {
      replicas.put(
          binlog, pipeline.parts().closing(MariaDbReplica.of(pipeline.parts().mariaDb(), binlog)));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    pipeline.close();
  }

  /** A base table that was loaded from a replica. */
  private record Dump(TableIdentifier base, Table rows, BinlogPosition position) {}

  @Test
  void dumpOfAReplicaAndTheLedgerBecomeTheTableOfItsSource() throws Exception {
    Table ledger = pipeline.createLedger(LEDGER);
    List<Dump> dumps = new ArrayList<>();
    try (OrdersWriter writer = pipeline.createTable(FIRST_ROWS, SEED);
        ChangeTopic topic = pipeline.topic()) {
      writer.start();
      await().atMost(OrdersPipeline.PATIENCE).until(() -> writer.counts().updates() > 20);
      for (MariaDbReplica.Binlog binlog : MariaDbReplica.Binlog.values()) {
        dumps.add(dumpBehind(binlog, writer));
        dumps.add(dumpLive(binlog));
      }
      // For all of them, since none is earlier: changes that a dump holds change nothing in it.
      BinlogPosition earliest = dumps.get(0).position();
      OrdersWriter.Counts dumped = writer.counts();
      JobClient job = pipeline.startLedger(LEDGER, earliest);
      try {
        await()
            .atMost(OrdersPipeline.PATIENCE)
            .until(() -> writer.counts().since(dumped).updates() > 20);
        writer.stop();
        // Before the marks that say how far Kafka is, which no dump holds.
        for (Dump dump : dumps) {
          assertThat(pipeline.rows(dump.rows()).differing())
              .as("rows to be mended in %s", dump)
              .isPositive();
        }
        pipeline.awaitAllIn(topic);
        OrdersPipeline.awaitAllIn(ledger, topic, earliest);
        for (Dump dump : dumps) {
          ledgerWouldBeginRightAfter(dump.position(), topic);
          becomesTheTable(dump);
        }
        agreesWithAReplicaThatStandsStill(dumps.get(0), topic, ledger);
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
  }

  /**
   * While the source writes on, the replica stands still: from before its position to after the
   * dump.
   */
  private static Dump dumpBehind(MariaDbReplica.Binlog binlog, OrdersWriter writer)
      throws Exception {
    MariaDbReplica replica = replicas.get(binlog);
    replica.awaitCaughtUp();
    replica.standStill();
    OrdersWriter.Counts before = writer.counts();
    await()
        .atMost(OrdersPipeline.PATIENCE)
        .until(
            () -> {
              OrdersWriter.Counts since = writer.counts().since(before);
              return since.inserts() > 5
                  && since.updates() > 5
                  && since.deletes() > 5
                  && since.renumbered() > 1;
            });
    String stands;
    try (Connection connection = replica.connect()) {
      stands = text(connection, "SELECT @@gtid_slave_pos");
    }
    Dump dump = dump("behind_" + binlog, replica);
    assertThat(dump.position().gtid()).as("position of %s", binlog).hasToString(stands);
    replica.resume();
    return dump;
  }

  private static Dump dumpLive(MariaDbReplica.Binlog binlog) throws Exception {
    MariaDbReplica replica = replicas.get(binlog);
    replica.awaitCaughtUp();
    return dump("live_" + binlog, replica);
  }

  private static Dump dump(String name, MariaDbReplica replica) throws Exception {
    TableIdentifier base = TableIdentifier.of("shop", name.toLowerCase(Locale.ROOT));
    Table rows = pipeline.createBase(base);
    return new Dump(
        base, rows, pipeline.bootstrap(base, LEDGER, replica.port(), Orders.TABLE.toString()));
  }

  private static void ledgerWouldBeginRightAfter(BinlogPosition position, ChangeTopic topic)
      throws Exception {
    assertThat(topic.before(position.gtid())).as("changes left out").isPositive();
    assertThat(pipeline.offsetsAfter(position)).isEqualTo(topic.firstAfter(position.gtid()));
  }

  private static void becomesTheTable(Dump dump) throws Exception {
    pipeline.merge(dump.base(), LEDGER);
    RowComparison rows = pipeline.rows(dump.rows());
    assertThat(rows.differences()).as("%s", dump).isEmpty();
    assertThat(rows.rows()).isGreaterThan(FIRST_ROWS / 2);
  }

  /**
   * The base table goes on while the replica stands. At a cut between the two times they agree, and
   * what is changed on the replica behind everybody's back is found.
   */
  private static void agreesWithAReplicaThatStandsStill(Dump dump, ChangeTopic topic, Table ledger)
      throws Exception {
    MariaDbReplica replica = replicas.get(MariaDbReplica.Binlog.NONE);
    replica.awaitCaughtUp();
    replica.standStill();
    Connection database = pipeline.database();
    // Change events have whole seconds: what comes after the cut comes two later, by this clock.
    long cut = Long.parseLong(text(database, "SELECT CEIL(UNIX_TIMESTAMP(NOW(6))) + 1"));
    pipeline.execute("SET timestamp = " + (cut + 1));
    List<Long> ids = new ArrayList<>(Orders.rows(database).keySet());
    pipeline.execute("UPDATE shop.orders SET state = 'later' WHERE id = " + ids.get(0));
    pipeline.execute("DELETE FROM shop.orders WHERE id = " + ids.get(1));
    pipeline.execute("UPDATE shop.orders SET id = 1000000 WHERE id = " + ids.get(2));
    pipeline.awaitAllIn(topic);
    OrdersPipeline.awaitAllIn(ledger, topic, dump.position());
    pipeline.merge(dump.base(), LEDGER);

    SparkShell.Result all = pipeline.compare(dump.base(), replica.port());
    assertThat(all.output())
        .contains("6 WRONG KEYS")
        .containsPattern("DIFFERS +1\n")
        .containsPattern("MISSING +2\n")
        .containsPattern("EXTRA +3\n");
    SparkShell.Result before = compareAt(cut, dump, replica);
    assertThat(before.output()).contains("CLEAN").containsPattern("AFTER_CUT +6\n");
    assertThat(before.exit()).isZero();

    try (Connection connection = replica.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE shop.orders SET photo = X'00FF00', touched = touched WHERE id = " + ids.get(3));
    }
    SparkShell.Result mended = compareAt(cut, dump, replica);
    assertThat(mended.output())
        .contains("1 WRONG KEYS")
        .contains("DIFFERS {\"id\":%d}".formatted(ids.get(3)));
    assertThat(mended.exit()).isEqualTo(1);
  }

  private static SparkShell.Result compareAt(long cut, Dump dump, MariaDbReplica replica)
      throws Exception {
    return pipeline.compare(
        dump.base(),
        replica.port(),
        "--cut",
        Instant.ofEpochSecond(cut).toString(),
        "--reference-changed-at",
        "touched");
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}

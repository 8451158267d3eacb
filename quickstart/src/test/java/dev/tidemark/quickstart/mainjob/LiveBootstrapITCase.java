package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.quickstart.program.RowComparison;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a database that is written all the time to a base table that equals it row by row. */
@NullUnmarked
class LiveBootstrapITCase {
  private static final int FIRST_ROWS = 2_000;
  private static final long SEED = 20_261_130;
  private static final TableIdentifier LEDGER = TableIdentifier.of("shop", "orders_ledger");
  private static final TableIdentifier BASE = TableIdentifier.of("shop", "orders");
  private static final TableIdentifier UNTOUCHED = TableIdentifier.of("shop", "untouched");
  private static final TableIdentifier WAITING = TableIdentifier.of("shop", "waiting");
  private static final TableIdentifier WAITING_LEDGER =
      TableIdentifier.of("shop", "waiting_ledger");

  @TempDir static Path directory;

  private static OrdersPipeline pipeline;

  @BeforeAll
  static void start() throws Exception {
    pipeline = OrdersPipeline.start(directory, Map.of("WRONG_PASSWORD", "mum-0815"));
  }

  @AfterAll
  static void stop() throws Exception {
    pipeline.close();
  }

  @Test
  void baseTableOfADatabaseUnderWriteEqualsItRowByRow() throws Exception {
    Table ledger = pipeline.createLedger(LEDGER);
    Table base = pipeline.createBase(BASE);
    try (OrdersWriter writer = pipeline.createTable(FIRST_ROWS, SEED);
        ChangeTopic topic = pipeline.topic()) {
      // What a session gets that does not ask: neither UTC nor the zone of any JVM here.
      pipeline.execute("SET GLOBAL time_zone = '+05:30'");
      writer.start();
      await().atMost(OrdersPipeline.PATIENCE).until(() -> writer.counts().deletes() > 20);

      OrdersWriter.Counts before = writer.counts();
      BinlogPosition position = pipeline.bootstrap(BASE, LEDGER, port(), Orders.TABLE.toString());
      OrdersWriter.Counts dumpedAt = writer.counts();
      OrdersWriter.Counts during = dumpedAt.since(before);
      assertThat(List.of(during.inserts(), during.updates(), during.deletes(), during.renumbered()))
          .as("changes during the dump")
          .allMatch(changes -> changes > 0);
      Set<Long> dumped = new HashSet<>(Orders.rows(base).keySet());

      JobClient job = pipeline.startLedger(LEDGER, position);
      try {
        await()
            .atMost(OrdersPipeline.PATIENCE)
            .until(
                () ->
                    LedgerWatch.rows(refreshed(ledger)) > 0
                        && writer.counts().since(dumpedAt).updates() > 20);
        writer.stop();
        // Before the marks that say how far Kafka is, which the dump does not hold.
        assertThat(pipeline.rows(base).differing()).as("rows to be mended").isPositive();
        pipeline.awaitAllIn(topic);
        OrdersPipeline.awaitAllIn(ledger, topic, position);
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
      assertThat(topic.before(position.gtid())).as("changes that nobody reads").isPositive();
      assertThat(idsInsertedIn(ledger)).as("overlap").containsAnyElementsOf(dumped);

      mergeAndCompare(base);
      changesBehindItsBackAreFound();
      lostPositionFailsTheJobForGood(topic, position);
    }
    assertThat(pipeline.spark().everything()).doesNotContain(OrdersPipeline.PASSWORD);
  }

  private static void mergeAndCompare(Table base) throws Exception {
    pipeline.merge(BASE, LEDGER);
    RowComparison rows = pipeline.rows(base);
    assertThat(rows.differences()).isEmpty();
    assertThat(rows.rows()).isGreaterThan(1_000);

    SparkShell.Result compared = pipeline.compare(BASE, port());
    assertThat(compared.output())
        .contains("CLEAN")
        .contains("rows: %1$d, reference %1$d".formatted(rows.rows()))
        .contains("buckets that differ: 0 of");
    assertThat(compared.exit()).isZero();
  }

  private static void changesBehindItsBackAreFound() throws Exception {
    pipeline.execute("SET sql_log_bin = 0");
    List<Long> ids = new ArrayList<>(Orders.rows(pipeline.database()).keySet());
    pipeline.execute("UPDATE shop.orders SET amount = amount + 0.001 WHERE id = " + ids.get(0));
    pipeline.execute("UPDATE shop.orders SET touched = '2020-01-01' WHERE id = " + ids.get(1));
    pipeline.execute("DELETE FROM shop.orders WHERE id = " + ids.get(2));
    pipeline.execute("UPDATE shop.orders SET id = 1000000 WHERE id = " + ids.get(3));
    pipeline.execute(
        "UPDATE shop.orders SET photo = X'00FF00', touched = touched WHERE id = " + ids.get(4));
    pipeline.execute("SET sql_log_bin = 1");
    SparkShell.Result result = pipeline.compare(BASE, port());
    assertThat(result.output())
        .contains("6 WRONG KEYS")
        .containsPattern("DIFFERS +3\n")
        .containsPattern("EXTRA +2\n")
        .containsPattern("MISSING +1\n")
        .contains("MISSING {\"id\":1000000}");
    assertThat(result.exit()).isEqualTo(1);
  }

  private static void lostPositionFailsTheJobForGood(ChangeTopic topic, BinlogPosition position)
      throws Exception {
    topic.drop();
    JobClient job = pipeline.startLedger(LEDGER, position);
    assertThatThrownBy(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS))
        .hasStackTraceContaining("Cannot start " + OrdersPipeline.TOPIC)
        .hasStackTraceContaining("after " + position.gtid())
        .hasStackTraceContaining("take a new dump, and keep Kafka longer than a dump takes");
  }

  /**
   * A transaction counts in the binlog before its commit has ended. Here one waits in between, for
   * a replica that does not exist: a dump cannot see it, so no position may be after it.
   */
  @Test
  void positionIsNotAheadOfWhatADumpCanRead() throws Exception {
    pipeline.execute(Orders.CREATE.replace("shop.orders", "shop.waiting"));
    pipeline.createLedger(WAITING_LEDGER);
    Table base = pipeline.createBase(WAITING);
    String insert =
        "INSERT INTO shop.waiting (id, state, amount, units, serial, gift, placed) VALUES (%d, '', 0, 0, 0, 0, NOW())";
    pipeline.execute(insert.formatted(1));
    pipeline.execute("SET GLOBAL rpl_semi_sync_master_timeout = 600000");
    pipeline.execute("SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'");
    try (Connection other = pipeline.parts().mariaDb().connect("shop");
        Statement statement = other.createStatement()) {
      String before = written();
      pipeline.execute("SET GLOBAL rpl_semi_sync_master_enabled = ON");
      CompletableFuture<Integer> waiting =
          CompletableFuture.supplyAsync(() -> update(statement, insert.formatted(2)));
      try {
        await().atMost(OrdersPipeline.PATIENCE).until(() -> !written().equals(before));
        BinlogPosition position =
            pipeline.bootstrap(WAITING, WAITING_LEDGER, port(), "shop.waiting");
        assertThat(position.gtid()).hasToString(before);
        assertThat(waiting).isNotDone();
        assertThat(Orders.rows(base)).containsOnlyKeys(1L);
      } finally {
        pipeline.execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
      }
      assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  private static String written() throws SQLException {
    try (Statement statement = pipeline.database().createStatement();
        ResultSet row = statement.executeQuery("SELECT @@gtid_current_pos")) {
      row.next();
      return row.getString(1);
    }
  }

  private static int update(Statement statement, String sql) {
    try {
      return statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void checklistAsksTheServerHowLongItKeepsItsBinlog() throws Exception {
    pipeline.createBase(UNTOUCHED);
    pipeline.execute("SET GLOBAL binlog_expire_logs_seconds = 604799");
    assertThat(binlogRetention("SOURCE_PASSWORD"))
        .isEqualTo("FAIL     binlog retention       6.9 days (expected: at least 7 days)");
    pipeline.execute("SET GLOBAL binlog_expire_logs_seconds = 604800");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("PASS ").contains("7 days (");
    pipeline.execute("SET GLOBAL expire_logs_days = 1");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("FAIL ").contains("1 days (");
    pipeline.execute("SET GLOBAL expire_logs_days = 0");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("PASS ").contains("kept for ever");
    pipeline.execute("SET GLOBAL max_binlog_total_size = 1073741824");
    assertThat(binlogRetention("SOURCE_PASSWORD")).startsWith("UNKNOWN ").contains("1,073,741,824");
    pipeline.execute("SET GLOBAL max_binlog_total_size = 0");
    assertThat(binlogRetention("WRONG_PASSWORD"))
        .startsWith("UNKNOWN ")
        .contains("cannot ask the source: Cannot connect to jdbc:mariadb://127.0.0.1")
        .contains("Access denied");
    assertThat(binlogRetention("NO_PASSWORD"))
        .startsWith("UNKNOWN ")
        .contains("environment variable NO_PASSWORD is not set");
    assertThat(pipeline.spark().everything())
        .doesNotContain(OrdersPipeline.PASSWORD)
        .doesNotContain("mum-0815");
  }

  private static String binlogRetention(String variable) throws Exception {
    Path facts =
        Files.writeString(
            directory.resolve("facts.properties"),
            "source.url=%s\nsource.user=reader\nsource.password-env=%s\n"
                .formatted(OrdersPipeline.url(port()), variable));
    SparkShell.Result result =
        pipeline
            .spark()
            .run("checklist", "--base", pipeline.name(UNTOUCHED), "--facts", facts.toString());
    assertThat(result.exit()).isEqualTo(1);
    return result
        .output()
        .lines()
        .filter(line -> line.contains("binlog retention"))
        .findFirst()
        .orElseThrow();
  }

  private static Set<Long> idsInsertedIn(Table ledger) throws Exception {
    Set<Long> ids = new HashSet<>();
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(ledger).where(Expressions.equal(LedgerSchema.OP, "I")).build()) {
      rows.forEach(row -> ids.add((Long) row.getField("id")));
    }
    return ids;
  }

  private static Table refreshed(Table table) {
    table.refresh();
    return table;
  }

  private static int port() {
    return pipeline.parts().mariaDb().port();
  }
}

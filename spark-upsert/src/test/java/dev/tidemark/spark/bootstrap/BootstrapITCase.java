package dev.tidemark.spark.bootstrap;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.millis;
import static dev.tidemark.spark.testing.TestOpinions.of;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.source.SourceDatabase;
import dev.tidemark.spark.source.SourceTable;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A base table that begins with a dump of a database, here SQLite. */
class BootstrapITCase {
  private static final BinlogPosition POSITION =
      new BinlogPosition(new Gtid(0, 1, 10), Instant.parse("2026-01-01T10:10:00Z"));

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLake lake;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLedger ledger;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestBase base;

  @SuppressWarnings("NullAway.Init") // set before each test
  SourceTable dump;

  @BeforeEach
  void create() throws Exception {
    lake = TestLake.jdbc(directory);
    ledger = TestLedger.create(lake, "ledger", 2);
    base = TestBase.create(lake, "orders", 2, "copy-on-write");
    execute(
        "CREATE TABLE orders (id BIGINT, state VARCHAR(9), amount DECIMAL(10, 2))",
        "INSERT INTO orders VALUES (1, 'a10', 1.50), (2, 'b', NULL)");
    dump = SourceTable.of(new SourceDatabase(url(), null, null), "orders");
  }

  @Test
  void overlapWithTheLedgerIsAbsorbed() throws Exception {
    load();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "a10/1.50", 2L, "b/null"));

    ledger.append(
        of("10:00", "11:00", null),
        insert(3, 3, "state", "gone before the dump", "amount", "3.00"),
        update(9, 1, "state", "a9", "amount", "0.00"),
        update(10, 1, "state", "a10", "amount", "1.50"));
    merge();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "a10/1.50", 2L, "b/null"));

    ledger.append(
        of("10:00", "12:00", null),
        delete(8, 2),
        update(11, 1, "state", "a11", "amount", "1.50"),
        insert(12, 3, "state", "c", "amount", "3.00"));
    merge();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "a11/1.50", 2L, "b/null", 3L, "c/3.00"));
  }

  @Test
  void baseTableIsWholeFromTheBeginningOfTimeOnceTheLedgerHasAWatermark() throws Exception {
    load();
    ledger.append(of("10:00", "11:00", null), update(11, 1, "state", "z", "amount", "1.50"));
    merge();
    assertThat(
            IcebergFinality.of(lake.load(base.name()))
                .read()
                .answerAt(Instant.ofEpochMilli(millis("03:30"))))
        .isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void secondLoadIsRefused() throws Exception {
    load();
    assertThatThrownBy(this::load)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is in it already");
    assertThat(base.rows()).hasSize(2);
  }

  @Test
  void rowsThatSomebodyElseBroughtAreNotLoadedBeside() {
    TestSession.get()
        .sql("INSERT INTO " + base.name().sql() + " VALUES (1, 'a', 1.50, NULL, NULL, false)");
    assertThatThrownBy(this::load)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has rows that no merge and no dump of ours brought");
    assertThat(base.rows()).hasSize(1);
  }

  @Test
  void typesThatWouldLoseSomethingAreRefused() throws Exception {
    TestSession.get()
        .sql("ALTER TABLE " + base.name().sql() + " ADD COLUMNS (due DATE, weight FLOAT)");
    execute(
        "DROP TABLE orders",
        "CREATE TABLE orders (id BIGINT, state VARCHAR(9), amount DECIMAL(12, 4), due TIMESTAMP, weight DOUBLE)",
        "INSERT INTO orders VALUES (1, 'a10', 1.2345, '2026-01-01 10:00:00', 0.1)");
    assertThatThrownBy(this::load)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot bootstrap " + base.name())
        .hasMessageContaining("amount is DECIMAL(10,2), in the source DECIMAL(12,4)")
        .hasMessageContaining("due is DATE, in the source TIMESTAMP")
        .hasMessageContaining("weight is FLOAT, in the source DOUBLE")
        .hasMessageContaining("Alter the base column")
        .hasMessageContaining("--ignored");
    assertThat(base.rows()).isEmpty();
  }

  @Test
  void numberThatIsTooLargeIsNamed() throws Exception {
    execute(
        "DROP TABLE orders",
        "CREATE TABLE orders (id BIGINT, state VARCHAR(9), amount DECIMAL(12, 2))",
        "INSERT INTO orders VALUES (1, 'a', 1.00), (2, 'b', 1234567890.50)");
    assertThatThrownBy(this::load)
        .hasStackTraceContaining(
            "Cannot bootstrap %s: column amount is DECIMAL(10,2), which does not hold the source's value 1234567890.50"
                .formatted(base.name()));
    assertThat(base.rows()).isEmpty();
  }

  @Test
  void keyThatWouldLoseSomethingIsRefused() throws Exception {
    execute(
        "DROP TABLE orders",
        "CREATE TABLE orders (id DECIMAL(10, 1), state VARCHAR(9), amount DECIMAL(10, 2))",
        "INSERT INTO orders VALUES (1.0, 'a', 1.00), (1.4, 'b', 1.00)");
    assertThatThrownBy(this::load)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("id is BIGINT, in the source DECIMAL(10,1)");
    assertThat(base.rows()).isEmpty();
  }

  private void load() throws SQLException {
    new Bootstrap(TestSession.get(), base.name(), ledger.name())
        .load(POSITION, dump.rows(TestSession.get()));
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  private String url() {
    return "jdbc:sqlite:" + directory.resolve("shop.db");
  }

  private void merge() {
    LedgerMerge.of(TestSession.get(), MergeRequest.of(base.name(), ledger.name())).run();
  }
}

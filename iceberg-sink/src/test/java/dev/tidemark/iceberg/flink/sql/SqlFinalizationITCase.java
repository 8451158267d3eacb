package dev.tidemark.iceberg.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlFinalizationITCase {
  private static final String ROWS =
      """
       VALUES (1, TIMESTAMP '2026-01-01 08:10:00', 10),
              (2, TIMESTAMP '2026-01-01 09:20:00', 20),
              (3, TIMESTAMP '2026-01-01 13:30:00', 30)
      """;

  @TempDir Path directory;
  private SqlSession sql;

  @BeforeEach
  void openSession() throws Exception {
    sql = SqlSession.streaming(directory);
  }

  @Test
  void hintsMakeRowsFactsAndWatermark() throws Exception {
    sql.run("CREATE TABLE test.db.orders (id BIGINT, ts TIMESTAMP(6), amount INT)");
    sql.run(
        """
        INSERT INTO test.db.orders /*+ OPTIONS(
          'tidemark.sink.writer' = 'orders',
          'tidemark.sink.event-time.column' = 'ts',
          'tidemark.sink.policy' = 'quantile:0.01',
          'tidemark.sink.lookback.commits' = '1',
          'tidemark.sink.lookback.span' = 'PT0S',
          'tidemark.sink.granularity' = 'PT30M',
          'tidemark.sink.read-from' = 'beginning',
          'tidemark.sink.input-is-complete' = 'true',
          'tidemark.sink.mirror-mode' = 'post_commit') */
        """
            + ROWS);

    assertThat(sql.query("SELECT id, amount FROM test.db.orders"))
        .containsExactly("+I[1, 10]", "+I[2, 20]", "+I[3, 30]");
    assertThat(sql.summary("orders"))
        .containsEntry("total-records", "3")
        .containsEntry("finalization.writer", "orders")
        .containsEntry("finalization.watermark", "2026-01-01T14:00:00Z")
        .containsEntry("finalization.policy", "quantile:0.01;1;PT0S;PT30M");
    assertThat(sql.total("orders", "finalization.event-time.count")).isEqualTo(3);
    assertThat(sql.table("orders").properties())
        .containsEntry("finalization.watermark", "2026-01-01T14:00:00Z");
    assertThat(
            sql.query(
                "SELECT summary['finalization.watermark'] FROM test.db.`orders$snapshots`"
                    + " WHERE summary['finalization.writer'] = 'orders'"))
        .contains("+I[2026-01-01T14:00:00Z]");
  }

  @Test
  void withoutOptionsItIsTheStockSink() throws Exception {
    sql.run("CREATE TABLE test.db.ours (id BIGINT, ts TIMESTAMP(6), amount INT)");
    sql.run("CREATE TABLE test.db.stock (id BIGINT, ts TIMESTAMP(6), amount INT)");
    sql.run("INSERT INTO test.db.ours" + ROWS);
    sql.ofStockCatalog().run("INSERT INTO test.db.stock" + ROWS);

    assertThat(sql.summary("ours").keySet())
        .containsExactlyInAnyOrderElementsOf(sql.summary("stock").keySet())
        .noneMatch(key -> key.startsWith("finalization."));
    assertThat(sql.table("ours").properties()).isEqualTo(sql.table("stock").properties());
    assertThat(sql.query("SELECT * FROM test.db.ours"))
        .isEqualTo(sql.query("SELECT * FROM test.db.stock"))
        .hasSize(3);
  }

  @Test
  void tablePropertiesConfigureAndHintsWin() throws Exception {
    sql.run(
        """
        CREATE TABLE test.db.clicks (id BIGINT, at_ms BIGINT, again BOOLEAN) WITH (
          'tidemark.sink.writer' = 'clicks',
          'tidemark.sink.event-time.column' = 'at_ms',
          'tidemark.sink.event-time.unit' = 'millis',
          'tidemark.sink.event-time.backfill-column' = 'again',
          'tidemark.sink.policy' = 'bounded-lateness:PT1H',
          'tidemark.sink.lookback.commits' = '4')
        """);
    sql.run("ALTER TABLE test.db.clicks SET ('tidemark.sink.lookback.commits' = '3')");
    sql.run("ALTER TABLE test.db.clicks RESET ('tidemark.sink.policy')");
    sql.run(
        "INSERT INTO test.db.clicks /*+ OPTIONS('tidemark.sink.writer' = 'replay') */"
            + " VALUES (1, 1767254400000, FALSE), (2, 1767254500000, TRUE)");

    assertThat(sql.summary("clicks"))
        .containsEntry("finalization.writer", "replay")
        .containsEntry("finalization.policy", "min;3;PT30M;PT1H");
    assertThat(sql.total("clicks", "finalization.event-time.count")).isEqualTo(1);
    assertThat(sql.total("clicks", "finalization.event-time.backfill-count")).isEqualTo(1);
    assertThat(sql.table("clicks").properties())
        .containsEntry("tidemark.sink.writer", "clicks")
        .containsEntry("tidemark.sink.lookback.commits", "3")
        .doesNotContainKey("tidemark.sink.policy");
  }

  @Test
  void aTableMadeLikeAnotherClaimsNothing() throws Exception {
    sql.run(
        "CREATE TABLE test.db.first (id BIGINT, ts TIMESTAMP(6), amount INT)"
            + " WITH ('tidemark.sink.event-time.column' = 'ts')");
    sql.run(
        "INSERT INTO test.db.first /*+ OPTIONS('tidemark.sink.writer' = 'w',"
            + " 'tidemark.sink.read-from' = '2026-01-01T00:00:00Z') */"
            + ROWS);
    sql.run("CREATE TABLE test.db.fresh LIKE test.db.first");

    assertThat(sql.table("first").properties()).containsKey("finalization.event-time.field-id");
    assertThat(sql.table("fresh").properties())
        .containsEntry("tidemark.sink.event-time.column", "ts")
        .allSatisfy((key, value) -> assertThat(key).doesNotStartWith("finalization."));
  }

  @Test
  void errorsNameTheOptionBeforeAnythingRuns() throws Exception {
    sql.run("CREATE TABLE test.db.orders (id BIGINT, ts TIMESTAMP(6), amount INT)");
    String column = "'tidemark.sink.event-time.column' = 'ts'";
    String writer = "'tidemark.sink.writer' = 'w'";

    assertRefused("'tidemark.sink.polcy' = 'min'", "Unknown table option 'tidemark.sink.polcy'");
    assertRefused(column, "Cannot finalize without 'tidemark.sink.writer'");
    assertRefused(
        writer + ", 'tidemark.sink.event-time.column' = 'tz'", "Missing event-time column \"tz\"");
    assertRefused(
        writer + ", " + column + ", 'tidemark.sink.policy' = 'source-promise'",
        "no SQL source reports where it stands");
    assertRefused(
        writer + ", " + column + ", 'flink-maintenance.rewrite.enabled' = 'true'",
        "Cannot run table maintenance inside this sink");
    assertRefused(
        writer + ", " + column + ", 'use-dynamic-iceberg-sink' = 'true'",
        "Cannot finalize test.db.orders with the dynamic sink");
    assertThat(sql.table("orders").currentSnapshot()).isNull();
  }

  @Test
  void anUnboundedInputIsNotDeclaredComplete() throws Exception {
    sql.run("CREATE TABLE test.db.orders (id BIGINT, ts TIMESTAMP(6), amount INT)");
    sql.run(
        "CREATE TEMPORARY TABLE endless (id BIGINT, ts TIMESTAMP(6), amount INT)"
            + " WITH ('connector' = 'datagen')");

    assertThatThrownBy(
            () ->
                sql.run(
                    "INSERT INTO test.db.orders /*+ OPTIONS('tidemark.sink.writer' = 'w',"
                        + " 'tidemark.sink.event-time.column' = 'ts',"
                        + " 'tidemark.sink.input-is-complete' = 'true') */"
                        + " SELECT * FROM endless"))
        .hasMessageContaining("Cannot declare an unbounded input complete");
  }

  @Test
  void aCatalogNeedsOneKind() {
    assertThatThrownBy(
            () -> sql.run("CREATE CATALOG x WITH ('type' = 'tidemark', 'catalog-type' = 'jdbc')"))
        .hasStackTraceContaining("catalog-type=jdbc (expected: hive, hadoop or rest");
    assertThatThrownBy(
            () ->
                sql.run(
                    "CREATE CATALOG x WITH ('type' = 'tidemark', 'catalog-type' = 'rest',"
                        + " 'catalog-impl' = 'a.B')"))
        .hasStackTraceContaining("expected: one of them");
  }

  private void assertRefused(String options, String reason) {
    assertThatThrownBy(
            () -> sql.run("INSERT INTO test.db.orders /*+ OPTIONS(" + options + ") */" + ROWS))
        .as(options)
        .hasStackTraceContaining(reason);
  }
}

package dev.tidemark.iceberg.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the stock table sink can do, with and without finalization. */
class SqlWritesITCase {
  private static final String FINALIZED =
      " /*+ OPTIONS('tidemark.sink.writer' = 'w', 'tidemark.sink.event-time.column' = 'ts',"
          + " 'tidemark.sink.lookback.commits' = '1', 'tidemark.sink.lookback.span' = '0 s',"
          + " 'tidemark.sink.read-from' = 'beginning') */";

  @TempDir Path directory;

  @Test
  void overwriteReplacesThePartitionsThatItHasRowsFor() throws Exception {
    SqlSession sql = SqlSession.batch(directory);
    sql.run("CREATE TABLE test.db.t (id BIGINT, ts TIMESTAMP(6), p STRING) PARTITIONED BY (p)");
    sql.run(
        "INSERT INTO test.db.t"
            + FINALIZED
            + " VALUES (1, TIMESTAMP '2026-01-01 08:10:00', 'a'),"
            + " (2, TIMESTAMP '2026-01-01 09:20:00', 'b')");
    sql.run(
        "INSERT OVERWRITE test.db.t"
            + FINALIZED
            + " PARTITION (p = 'b') SELECT 3, TIMESTAMP '2026-01-01 10:30:00'");

    assertThat(sql.query("SELECT id, p FROM test.db.t")).containsExactly("+I[1, a]", "+I[3, b]");
    assertThat(sql.summary("t"))
        .containsEntry("replace-partitions", "true")
        .containsEntry("finalization.event-time.count", "1");

    sql.run("INSERT OVERWRITE test.db.t VALUES (4, TIMESTAMP '2026-01-01 11:30:00', 'a')");
    assertThat(sql.query("SELECT id, p FROM test.db.t")).containsExactly("+I[3, b]", "+I[4, a]");
    assertThat(sql.summary("t").keySet()).noneMatch(key -> key.startsWith("finalization."));
  }

  @Test
  void overwriteOfAnUnboundedInputIsRefusedAsByTheStockSink() throws Exception {
    SqlSession sql = SqlSession.streaming(directory);
    sql.run("CREATE TABLE test.db.t (id BIGINT, ts TIMESTAMP(6))");
    assertThatThrownBy(
            () -> sql.run("INSERT OVERWRITE test.db.t" + FINALIZED + " SELECT 1, LOCALTIMESTAMP"))
        .hasStackTraceContaining("Unbounded data stream doesn't support overwrite");
  }

  @Test
  void upsertKeepsOneRowOfAKey() throws Exception {
    SqlSession sql = SqlSession.streaming(directory);
    sql.run(
        """
        CREATE TABLE test.db.prices (sku STRING, ts TIMESTAMP(6), price INT, PRIMARY KEY (sku) NOT ENFORCED)
        WITH ('format-version' = '2', 'write.upsert.enabled' = 'true')
        """);
    sql.run(
        "INSERT INTO test.db.prices"
            + FINALIZED
            + " VALUES ('x', TIMESTAMP '2026-01-01 08:10:00', 1),"
            + " ('y', TIMESTAMP '2026-01-01 08:20:00', 2)");
    sql.run(
        "INSERT INTO test.db.prices"
            + FINALIZED
            + " VALUES ('x', TIMESTAMP '2026-01-01 09:10:00', 7)");

    assertThat(sql.query("SELECT sku, price FROM test.db.prices"))
        .containsExactly("+I[x, 7]", "+I[y, 2]");
    assertThat(sql.summary("prices"))
        .containsEntry("finalization.event-time.count", "1")
        .containsKey("added-equality-deletes");
  }

  @Test
  void anAlteredTableIsWrittenAndRead() throws Exception {
    SqlSession sql = SqlSession.streaming(directory);
    sql.run("CREATE DATABASE test.more");
    sql.run("CREATE TABLE test.more.t (id BIGINT, ts TIMESTAMP(6))");
    sql.run("INSERT INTO test.more.t" + FINALIZED + " VALUES (1, TIMESTAMP '2026-01-01 08:10:00')");
    sql.run("ALTER TABLE test.more.t ADD note STRING");
    sql.run("ALTER TABLE test.more.t RENAME ts TO happened");
    sql.run(
        "INSERT INTO test.more.t /*+ OPTIONS('tidemark.sink.writer' = 'w',"
            + " 'tidemark.sink.event-time.column' = 'happened') */"
            + " VALUES (2, TIMESTAMP '2026-01-01 09:10:00', 'new')");

    assertThat(sql.query("SELECT id, note FROM test.more.t"))
        .containsExactly("+I[1, null]", "+I[2, new]");
  }

  @Test
  void twoInsertsOfOneStatementSetNeedNamesOfTheirOwn() throws Exception {
    SqlSession sql = SqlSession.streaming(directory);
    sql.run(
        "CREATE TABLE test.db.t (id BIGINT, ts TIMESTAMP(6))"
            + " WITH ('tidemark.sink.event-time.column' = 'ts')");
    assertThatThrownBy(() -> sql.run(twoInserts("'branch' = 'main'")))
        .hasStackTraceContaining("user-specified ID");
    sql.run(twoInserts("'uid-suffix' = 'second'"));

    assertThat(sql.query("SELECT id FROM test.db.t")).containsExactly("+I[1]", "+I[2]");
    assertThat(sql.table("t").properties().get("finalization.writers"))
        .contains("one=")
        .contains("two=");
  }

  private static String twoInserts(String options) {
    return """
    EXECUTE STATEMENT SET BEGIN
      INSERT INTO test.db.t /*+ OPTIONS('tidemark.sink.writer' = 'one') */
        VALUES (1, TIMESTAMP '2026-01-01 08:10:00');
      INSERT INTO test.db.t /*+ OPTIONS('tidemark.sink.writer' = 'two', %s) */
        VALUES (2, TIMESTAMP '2026-01-01 08:20:00');
    END
    """
        .formatted(options);
  }

  /** The example of docs/flink-sql.md, word for word but for its directory. */
  @Test
  void theDocumentedExampleRuns() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "flink-sql.md"));
    Matcher block = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).isTrue();
    List<String> statements =
        Stream.of(block.group(1).split(";"))
            .map(s -> s.replace("file:///tmp/lake", directory.resolve("lake").toUri().toString()))
            .filter(s -> !s.isBlank())
            .toList();
    SqlSession sql = SqlSession.streaming(directory);
    for (String statement : statements.subList(0, statements.size() - 1)) {
      sql.run(statement);
    }

    assertThat(sql.query(statements.get(statements.size() - 1)))
        .contains("+I[2026-01-01T10:00:00Z]");
    assertThat(sql.query("SELECT id FROM lake.shop.orders")).containsExactly("+I[1]", "+I[2]");
  }

  @Test
  void everyOptionIsDocumented() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "flink-sql.md"));
    TidemarkSinkOptions.ALL.forEach(option -> assertThat(page).contains("`" + option.key() + "`"));
  }
}

package dev.tidemark.iceberg.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements of recipes/sql.md for Flink, word for word but for the catalog's name. */
class FlinkRecipesITCase {
  @TempDir Path directory;

  private static String recipe(String name) throws Exception {
    String page = Files.readString(Path.of("..", "recipes", "sql.md"));
    Matcher block =
        Pattern.compile("<!-- flink: " + name + " -->\n```sql\n(.*?)```", Pattern.DOTALL)
            .matcher(page);
    assertThat(block.find()).as(name).isTrue();
    return block.group(1).replace("lake.db.", "test.db.");
  }

  private static List<String> rolledBack(SqlSession sql) throws Exception {
    String published = sql.table("orders").properties().get(FinalizationProperties.SNAPSHOT_ID);
    return sql.query(recipe("rolled-back").replace("PUBLISHED", published));
  }

  @Test
  void truthAndRollbackAreRead() throws Exception {
    SqlSession sql = SqlSession.batch(directory);
    sql.run("CREATE TABLE test.db.orders (id BIGINT, ts TIMESTAMP_LTZ(6))");
    Table table = sql.table("orders");
    EventWriter writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10", "12:50");
    long carrier = table.currentSnapshot().snapshotId();
    TestFiles.append(table, TestFiles.of(table, "13:00"));
    String expected =
        "+I[%d, 0, %d, 2026-01-01T12:00:00Z, ".formatted(carrier, TestFiles.at("12:00"));
    assertThat(sql.query(recipe("truth"))).hasSize(1).first().asString().startsWith(expected);
    assertThat(rolledBack(sql)).containsExactly("+I[false]");
    assertThat(sql.query("SHOW CREATE TABLE test.db.orders"))
        .first()
        .asString()
        .contains("'finalization.watermark' = '2026-01-01T12:00:00Z'");

    Long before = table.snapshot(carrier).parentId();
    table.manageSnapshots().rollbackTo(before).commit();
    assertThat(sql.query(recipe("truth"))).first().asString().startsWith("+I[" + before);
    assertThat(rolledBack(sql)).containsExactly("+I[true]");
  }
}

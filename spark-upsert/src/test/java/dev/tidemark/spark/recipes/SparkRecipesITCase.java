package dev.tidemark.spark.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestOpinions;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.Table;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements of recipes/sql.md for Spark, word for word but for the table's name. */
class SparkRecipesITCase {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestLake lake;

  @SuppressWarnings("NullAway.Init") // set before each test
  private TableName name;

  /** Complete from 10:00 up to 11:00, then up to 12:00. */
  @BeforeEach
  void fill() {
    lake = TestLake.hadoop(directory);
    name = lake.table("orders");
    TestSession.get().sql("CREATE TABLE " + name + " (id BIGINT, ts TIMESTAMP) USING iceberg");
    claim(TestOpinions.upTo("11:00"));
    claim(TestOpinions.upTo("12:00"));
  }

  private long claim(Opinion opinion) {
    Table table = lake.load(name);
    AppendFiles append = table.newAppend();
    FinalizationProperties.write(opinion).forEach(append::set);
    append.commit();
    return head(table);
  }

  private static long head(Table table) {
    table.refresh();
    return table.currentSnapshot().snapshotId();
  }

  private void insert(String time) {
    TestSession.get()
        .sql("INSERT INTO " + name + " VALUES (1, TIMESTAMP '2026-01-01T" + time + ":00Z')");
  }

  private List<Row> run(String recipe, Map<String, Object> parameters) throws Exception {
    TestSession.get().sql(statement("refresh"));
    return TestSession.get().sql(statement(recipe), parameters).collectAsList();
  }

  private String statement(String recipe) throws Exception {
    String page = Files.readString(Path.of("..", "recipes", "sql.md"));
    Matcher block =
        Pattern.compile("<!-- spark: " + recipe + " -->\n```sql\n(.*?)```", Pattern.DOTALL)
            .matcher(page);
    assertThat(block.find()).as(recipe).isTrue();
    return block.group(1).replace("lake.db.orders", name.toString());
  }

  private Row truth() throws Exception {
    List<Row> rows = run("truth", Map.of());
    assertThat(rows).hasSize(1);
    return rows.get(0);
  }

  private boolean isNoAncestor() throws Exception {
    String published = lake.load(name).properties().get(FinalizationProperties.SNAPSHOT_ID);
    Map<String, Object> parameters = Map.of("published", Long.parseLong(published));
    return run("rolled-back", parameters).get(0).getBoolean(0);
  }

  @Test
  void propertyAndTruthSayTheSame() throws Exception {
    assertThat(run("property", Map.of()).get(0).getString(1)).isEqualTo("2026-01-01T12:00:00Z");
    Row truth = truth();
    assertThat(truth.getLong(0)).isEqualTo(head(lake.load(name)));
    assertThat(truth.getLong(1)).isEqualTo(TestOpinions.millis("10:00"));
    assertThat(truth.getLong(2)).isEqualTo(TestOpinions.millis("12:00"));
    assertThat(truth.getString(3)).isEqualTo("2026-01-01T12:00:00Z");
    assertThat(truth.isNullAt(4)).isTrue();
    assertThat(isNoAncestor()).isFalse();
  }

  @Test
  void newestOpinionIsTakenThoughTheWatermarkStayed() throws Exception {
    long held =
        claim(
            TestOpinions.of("10:00", "12:00", Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("p-1"))));
    assertThat(truth().getLong(0)).isEqualTo(held);
    assertThat(truth().getString(4)).isEqualTo("SOURCE_BEHIND(p-1)");
  }

  @Test
  void foreignCommitsAreSteppedOverAndTold() throws Exception {
    long carrier = truth().getLong(0);
    assertThat(run("foreign", Map.of("carrier", carrier))).isEmpty();
    insert("10:30");
    assertThat(truth().getLong(0)).isEqualTo(carrier);
    List<Row> foreign = run("foreign", Map.of("carrier", carrier));
    assertThat(foreign).hasSize(1);
    assertThat(foreign.get(0).getLong(0)).isEqualTo(head(lake.load(name)));
    assertThat(foreign.get(0).getLong(1)).isEqualTo(1);
    Timestamp time = Timestamp.from(Instant.parse("2026-01-01T10:30:00Z"));
    assertThat(foreign.get(0).getTimestamp(2)).isEqualTo(time);
    assertThat(foreign.get(0).getTimestamp(3)).isEqualTo(time);

    insert("11:30");
    assertThat(run("foreign", Map.of("carrier", carrier))).hasSize(2);
    claim(TestOpinions.upTo("13:00"));
    assertThat(run("foreign", Map.of("carrier", truth().getLong(0)))).isEmpty();
  }

  @Test
  void rollbackIsSeenThoughThePropertyStays() throws Exception {
    Table table = lake.load(name);
    Long before = table.currentSnapshot().parentId();
    table.manageSnapshots().rollbackTo(before).commit();
    assertThat(run("property", Map.of()).get(0).getString(1)).isEqualTo("2026-01-01T12:00:00Z");
    assertThat(truth().getLong(2)).isEqualTo(TestOpinions.millis("11:00"));
    assertThat(isNoAncestor()).isTrue();
    insert("10:30");
    assertThat(isNoAncestor()).isTrue();
  }

  @Test
  void reopenedHoursAreListed() throws Exception {
    Opinion opinion = TestOpinions.upTo("12:00");
    ReopenedGranules reopened =
        ReopenedGranules.NONE
            .plus(late(Map.of("10:00", 4L)))
            .plus(late(Map.of("10:00", 3L, "11:00", 1L)));
    long carrier =
        claim(
            new Opinion(
                opinion.watermark(),
                opinion.policy(),
                null,
                0,
                false,
                opinion.writers(),
                new ReopenedGranules(reopened.granules(), 5)));
    assertThat(run("reopened", Map.of("carrier", carrier)))
        .extracting(row -> row.getTimestamp(0).toInstant() + " " + row.get(1) + " " + row.get(2))
        .containsExactly("2026-01-01T10:00:00Z 7 2", "2026-01-01T11:00:00Z 1 1");
    assertThat(run("reopened", Map.of("carrier", lake.load(name).snapshot(carrier).parentId())))
        .isEmpty();
  }

  private static GranuleCounts late(Map<String, Long> rows) {
    TreeMap<Long, Long> counts = new TreeMap<>();
    rows.forEach((time, count) -> counts.put(TestOpinions.millis(time), count));
    return GranuleCounts.of(counts);
  }
}

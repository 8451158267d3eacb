package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code compare} at the watermark of the base table, with a table and with a database (SQLite;
 * MariaDB under writes is in {@code quickstart}).
 */
class CompareCommandITCase extends OrdersFixture {
  private static final String CUT = "2026-01-01T12:00:00Z";

  /** A row of the other side: what it has of {@code id, state, amount}, and since when. */
  private record Other(long id, String state, String amount, String changedAt) {}

  private static final List<Other> OTHERS =
      List.of(
          new Other(1, "same", "1.00", "2026-01-01T10:01:00Z"),
          new Other(2, "<i>&\"two\"</i>", "1.00", "2026-01-01T10:02:00Z"),
          new Other(3, "before", "1.00", "2026-01-01T10:03:00Z"),
          new Other(4, "later", "9.00", "2026-01-01T12:00:00Z"),
          new Other(5, "missing", "1.00", "2026-01-01T11:59:59Z"),
          new Other(7, "since", "1.00", "2026-01-01T10:07:00Z"),
          new Other(8, "long ago", "1.00", "2026-01-01T10:08:00Z"));

  @Override
  protected void create() {
    create(TestLake.jdbc(directory), 2, "copy-on-write");
    ledger.append(
        upTo("12:00"),
        insert(1, 1, "state", "same", "amount", "1.00"),
        insert(2, 2, "state", "<b>two</b>", "amount", "1.00"),
        insert(150, 3, "state", "after", "amount", "1.00"),
        insert(4, 4, "state", "before", "amount", "1.00"),
        insert(6, 6, "state", "extra", "amount", "1.00"),
        insert(7, 7, "state", "deleted", "amount", "1.00"),
        delete(151, 7),
        insert(8, 8, "state", "deleted", "amount", "1.00"),
        delete(9, 8));
    CommandLine merged =
        CommandLine.run("merge", "--base", base.name(), "--ledgers", ledger.name());
    assertThat(merged.output()).contains(CUT);
  }

  @Test
  void whatWasChangedSinceTheCutIsLeftOutOfAComparisonWithATable() throws Exception {
    TableName reference = referenceTable();
    JsonNode report = json("--reference", reference, "--reference-changed-at", "changed");
    assertThat(report.get("reference").asText()).isEqualTo(reference.toString());
    assertReport(report);
  }

  @Test
  void whatWasChangedSinceTheCutIsLeftOutOfAComparisonWithADatabase() throws Exception {
    String url = referenceDatabase();
    JsonNode report = json("--url", url, "--table", "orders", "--reference-changed-at", "changed");
    assertThat(report.get("reference").asText()).isEqualTo("orders of " + url);
    assertReport(report);
  }

  private void assertReport(JsonNode report) {
    assertThat(names(report))
        .containsExactly(
            "base",
            "table",
            "reference",
            "at",
            "cut",
            "clean",
            "baseRows",
            "referenceRows",
            "settled",
            "buckets",
            "differing",
            "unexplained",
            "ignored",
            "onlyInReference",
            "found",
            "samples");
    assertThat(report.get("base").asText()).isEqualTo(base.name().toString());
    assertThat(report.get("table").asText()).isEqualTo(lake.load(base.name()).uuid().toString());
    assertThat(report.get("cut").asText()).isEqualTo(CUT);
    assertThat(Instant.parse(report.get("at").asText())).isAfter(Instant.parse(CUT));
    assertThat(report.get("clean").isBoolean()).isTrue();
    assertThat(report.get("clean").asBoolean()).isFalse();
    assertThat(report.get("baseRows").asLong()).isEqualTo(5);
    assertThat(report.get("referenceRows").asLong()).isEqualTo(7);
    assertThat(report.get("settled").asLong()).as("of both, compared").isEqualTo(7);
    assertThat(report.get("unexplained").asLong()).isZero();
    assertThat(report.get("found").toString())
        .isEqualTo(
            "{\"MISSING\":2,\"EXTRA\":1,\"STALE\":0,\"DUPLICATE\":0,\"DIFFERS\":1,\"TYPE_ONLY\":0,\"AFTER_CUT\":3}");
    List<String> samples = new ArrayList<>();
    report
        .get("samples")
        .forEach(sample -> samples.add(sample.get("kind").asText() + sample.get("key").asText()));
    assertThat(samples)
        .containsExactly(
            "MISSING{\"id\":5}",
            "MISSING{\"id\":8}",
            "EXTRA{\"id\":6}",
            "DIFFERS{\"id\":2}",
            "AFTER_CUT{\"id\":3}",
            "AFTER_CUT{\"id\":4}",
            "AFTER_CUT{\"id\":7}");
    JsonNode differs = report.get("samples").get(3);
    assertThat(differs.get("base").asText()).contains("<b>two</b>");
    assertThat(differs.get("reference").asText()).contains("<i>&");
  }

  @Test
  void withoutATimeOfTheReferenceItsLaterChangesAreTakenForMistakes() throws Exception {
    JsonNode report = json("--reference", referenceTable());
    assertThat(report.get("found").get("DIFFERS").asLong()).isEqualTo(2);
    assertThat(report.get("found").get("AFTER_CUT").asLong()).isEqualTo(2);
  }

  @Test
  void cutOfASideThatIsWrittenIsTheWatermarkUnlessOneIsGiven() {
    String reference = referenceTable().toString();
    String[] written = {
      "compare",
      "--base",
      base.name().toString(),
      "--key",
      "id",
      "--reference",
      reference,
      "--reference-changed-at",
      "changed"
    };
    CommandLine compared = CommandLine.run((Object[]) written);
    assertThat(compared.output())
        .startsWith(
            "4 WRONG KEYS: %s against %s at cut %s\n".formatted(base.name(), reference, CUT));
    CommandLine still =
        CommandLine.run("compare", "--base", base.name(), "--key", "id", "--reference", reference);
    assertThat(still.output()).contains(" against %s at cut none\n".formatted(reference));

    CommandLine without =
        CommandLine.run(
            "compare",
            "--base",
            TestBase.create(lake, "unmerged", 2, "copy-on-write").name(),
            "--key",
            "id",
            "--reference",
            reference,
            "--reference-changed-at",
            "changed");
    assertThat(without.output())
        .isEqualTo(
            "Failed: Cannot compare %s at its watermark: it has none (expected: --cut beside --reference-changed-at, or a merge of a ledger that has one)\n"
                .formatted(lake.table("unmerged")));
    assertThat(without.status()).isEqualTo(1);
  }

  @Test
  void columnsThatAreIgnoredAreNamed() throws Exception {
    TableName reference = referenceTable();
    JsonNode report = json("--reference", reference, "--ignored", "amount,none");
    assertThat(report.get("ignored").toString()).isEqualTo("[\"amount\"]");
    assertThat(report.get("onlyInReference").toString()).isEqualTo("[\"changed\"]");
    assertThat(json("--reference", reference, "--ignored", "changed").get("onlyInReference"))
        .isEmpty();
    for (String format : List.of("text", "html")) {
      assertThat(compare(format, "--reference", reference, "--ignored", "amount,none").output())
          .contains("columns that were not compared: amount");
      assertThat(compare(format, "--reference", reference).output())
          .doesNotContain("not compared: ");
    }
  }

  @Test
  void pageHasTheValuesOfRowsAsText() {
    CommandLine page =
        compare("html", "--reference", referenceTable(), "--reference-changed-at", "changed");
    assertThat(page.status()).isEqualTo(1);
    assertThat(page.output())
        .startsWith("<!doctype html>")
        .contains("<h1>4 WRONG KEYS: " + base.name())
        .contains("<tr><td>AFTER_CUT<td>3")
        .contains("&lt;b&gt;two&lt;/b&gt;")
        .contains("&lt;i&gt;&amp;")
        .doesNotContain("<b>", "<i>");
  }

  @Test
  void textNamesEachKey() {
    TableName reference = referenceTable();
    CommandLine text =
        compare("text", "--reference", reference, "--reference-changed-at", "changed");
    assertThat(text.status()).isEqualTo(1);
    assertThat(text.output())
        .startsWith(
            "4 WRONG KEYS: %s against %s at cut %s\n".formatted(base.name(), reference, CUT))
        .containsPattern("AFTER_CUT +3\n")
        .contains("DIFFERS {\"id\":2}\n")
        .contains("MISSING {\"id\":5}\n")
        .contains("    base      null\n");
  }

  @Test
  void cutBeforeEveryMistakeIsCleanAndOneBeforeEverythingIsNot() throws Exception {
    TableName reference = referenceTable();
    CommandLine early = at("2026-01-01T10:02:00Z", reference);
    assertThat(early.status()).isZero();
    assertThat(early.output()).startsWith("CLEAN: ").containsPattern("AFTER_CUT +7\n");
    CommandLine tooEarly = at("2026-01-01T10:01:00Z", reference);
    assertThat(tooEarly.status()).isEqualTo(1);
    assertThat(tooEarly.output()).startsWith("NOTHING COMPARED");
  }

  @Test
  void baseTableUnderAnotherNameIsNoReference() {
    TableName other = referenceTable();
    String view = lake.table("reading").toString();
    CommandLine.run("swap-view", "--view", view, "--to-base", base.name());
    String part = lake.table("part").toString();
    TestSession.get()
        .sql(
            "CREATE VIEW %s AS SELECT * FROM %s WHERE id IN (SELECT id FROM %s)"
                .formatted(part, other.sql(), base.name().sql()));
    for (String reference : List.of(view, part)) {
      assertRefused(compare("text", "--reference", reference), reference);
    }
    CommandLine.run("swap-view", "--view", view, "--to-table", other);
    assertThat(compare("text", "--reference", view).output()).contains(" WRONG KEYS: ");

    create(TestLake.hadoop(directory.resolve("hadoop")), 2, "copy-on-write");
    String elsewhere = lake.hooked().table("orders").toString();
    assertRefused(compare("text", "--reference", elsewhere), elsewhere);
  }

  private void assertRefused(CommandLine compared, String reference) {
    assertThat(compared.output())
        .isEqualTo(
            "Failed: Cannot compare %s with %s: that reads the table %s itself, through a view or by another name (expected: another table, or the database)\n"
                .formatted(base.name(), reference, lake.load(base.name()).uuid()));
    assertThat(compared.status()).isEqualTo(1);
  }

  private CommandLine at(String cut, TableName reference) {
    return CommandLine.run(
        "compare",
        "--base",
        base.name(),
        "--key",
        "id",
        "--cut",
        cut,
        "--reference",
        reference,
        "--reference-changed-at",
        "changed");
  }

  private JsonNode json(Object... reference) throws Exception {
    CommandLine result = compare("json", reference);
    assertThat(result.status()).as(result.output()).isEqualTo(1);
    assertThat(result.output()).hasLineCount(1);
    return new ObjectMapper().readTree(result.output());
  }

  private CommandLine compare(String format, Object... reference) {
    List<Object> words = new ArrayList<>(List.of("compare", "--base", base.name()));
    words.addAll(List.of("--key", "id", "--cut", CUT, "--format", format));
    words.addAll(List.of(reference));
    return CommandLine.run(words.toArray());
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private TableName referenceTable() {
    TableName name = lake.table("reference");
    String rows =
        OTHERS.stream()
            .map(
                row ->
                    "(%dL, '%s', %sBD, timestamp'%s')"
                        .formatted(row.id(), row.state(), row.amount(), row.changedAt()))
            .collect(Collectors.joining(", "));
    TestSession.get()
        .sql(
            "CREATE TABLE %s USING iceberg AS SELECT * FROM VALUES %s AS t(id, state, amount, changed)"
                .formatted(name.sql(), rows));
    return name;
  }

  private String referenceDatabase() throws SQLException {
    String url = "jdbc:sqlite:" + directory.resolve("shop.db");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE orders (id BIGINT, state VARCHAR(20), amount DECIMAL(10, 2), changed TIMESTAMP)");
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?, ?)")) {
        for (Other row : OTHERS) {
          insert.setLong(1, row.id());
          insert.setString(2, row.state());
          insert.setString(3, row.amount());
          insert.setLong(4, Instant.parse(row.changedAt()).toEpochMilli());
          insert.execute();
        }
      }
    }
    return url;
  }
}

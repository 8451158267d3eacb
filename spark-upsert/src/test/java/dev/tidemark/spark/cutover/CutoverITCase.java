package dev.tidemark.spark.cutover;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.spark.bootstrap.Bootstrap;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOptions;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.shadow.ShadowCompare;
import dev.tidemark.spark.shadow.ShadowHistory;
import dev.tidemark.spark.shadow.ShadowReport;
import dev.tidemark.spark.shadow.Side;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestOpinions;
import dev.tidemark.spark.testing.TestSession;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Views that are swapped and swapped back, and what the checklist knows. */
class CutoverITCase extends OrdersFixture {
  private static final SparkSession SPARK = TestSession.get();
  private static final String REGISTRY = "schema-registry.url";
  private static final String SUBJECTS = "schema-registry.subjects";

  /** What the registry answers where it does not answer 200. */
  private static final Map<String, Integer> STATUS =
      Map.of(
          "/subjects/missing/versions/latest", 404,
          "/subjects/unauthorized/versions/latest", 401,
          "/config/silent", 500);

  @Override
  protected void create() {
    create(TestLake.hadoop(directory), 2, "copy-on-write");
  }

  @Test
  void viewIsSwappedToTheBaseTableAndBack() {
    useJdbc();
    SPARK.sql("CREATE TABLE " + lake.table("old").sql() + " AS SELECT 7L AS id");
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"), delete(2, 2));
    merge();
    SPARK.sql("UPDATE " + base.name().sql() + " SET cdc_deleted = NULL WHERE id = 1");
    assertThat(Side.base(SPARK, base.name()).rows().count()).isEqualTo(1);
    ReadingView view = new ReadingView(lake.table("reading").toString());
    assertThatThrownBy(() -> view.fallBack(SPARK)).hasMessageContaining("shown nothing else");

    view.showTable(SPARK, lake.table("old"));
    assertThat(read(view)).isEqualTo("[7]");
    view.showBase(SPARK, base.name());
    assertThat(read(view)).isEqualTo("[1,a,1.00]");
    assertThat(view.fallBack(SPARK)).isTrue();
    assertThat(read(view)).isEqualTo("[7]");
    assertThat(view.fallBack(SPARK)).as("sent again").isFalse();
    view.showTable(SPARK, lake.table("old"));
    assertThat(view.fallBack(SPARK)).as("not moved since").isFalse();
    assertThat(read(view)).isEqualTo("[7]");

    view.showBase(SPARK, base.name());
    assertThat(view.fallBack(SPARK)).as("moved since").isTrue();
    assertThat(read(view)).isEqualTo("[7]");
    SPARK.sql("CREATE OR REPLACE VIEW %s AS SELECT 8L AS id".formatted(view.view()));
    assertThatThrownBy(() -> view.fallBack(SPARK)).hasMessageContaining("shown nothing else");
    assertThat(read(view)).isEqualTo("[8]");
  }

  @Test
  void sessionStaysInTheCatalogAndNamespaceThatItIsIn() {
    useJdbc();
    String catalog = base.name().catalog();
    SparkSession maker = session(catalog);
    maker.sql("CREATE NAMESPACE `my-db`");
    maker.sql("USE `my-db`");
    maker.sql("CREATE TABLE old AS SELECT 7L AS id");
    maker.sql("CREATE VIEW reading AS SELECT * FROM old");
    ReadingView view = new ReadingView(catalog + ".my-db.reading");
    for (String namespace : List.of("", "my-db", "db")) {
      SparkSession session = session(catalog);
      if (!namespace.isEmpty()) {
        session.sql("USE `%s`".formatted(namespace));
      }
      view.showBase(session, base.name());
      assertThat(view.showsBase(session, base.name())).isTrue();
      assertThat(namespace(session)).containsExactly(catalog, namespace);
      assertThat(view.fallBack(session)).isTrue();
      assertThat(namespace(session)).containsExactly(catalog, namespace);
      assertThat(session.table("`%s`.`my-db`.`reading`".formatted(catalog)).first().getLong(0))
          .isEqualTo(7);
    }
  }

  /** A session whose current catalog is a lake, and in it no namespace. */
  private SparkSession session(String catalog) {
    SparkSession session = SPARK.newSession();
    lake.configure(session);
    session.conf().set("spark.sql.defaultCatalog", catalog);
    return session;
  }

  private static List<String> namespace(SparkSession session) {
    Row current = session.sql("SHOW CURRENT NAMESPACE").first();
    return List.of(current.getString(0), current.getString(1).replace("`", ""));
  }

  @Test
  void viewThatSomebodyElseMadeIsTheWayBackAlsoWhereItsTextLooksSecret() {
    useJdbc();
    TableName old = lake.table("hourly_orders");
    SPARK.sql("CREATE TABLE " + old.sql() + " AS SELECT 7L AS id, 'x' AS image_url");
    SPARK.sql("ALTER TABLE " + base.name().sql() + " ADD COLUMN image_url STRING");
    ReadingView view = new ReadingView(lake.table("reading").toString());
    SPARK.sql("USE " + old.catalog() + ".db");
    SPARK.sql("CREATE VIEW reading (n, token) AS SELECT id, image_url FROM hourly_orders");
    SPARK.sql("USE spark_catalog.default");

    view.showBase(SPARK, base.name());
    assertThat(columns(view)).containsExactly("id", "state", "amount", "image_url");
    SPARK.sql("ALTER TABLE " + base.name().sql() + " ADD COLUMN password STRING");
    view.showBase(SPARK, base.name());
    assertThat(columns(view)).contains("password");
    assertThat(view.fallBack(SPARK)).isTrue();
    assertThat(columns(view)).containsExactly("n", "token");
    assertThat(read(view)).isEqualTo("[7,x]");
    assertThat(view.fallBack(SPARK)).isFalse();
    assertThat(columns(view)).containsExactly("n", "token");
    assertThat(SPARK.catalog().currentCatalog()).isEqualTo("spark_catalog");
  }

  @Test
  void viewThatWouldEndWithTheProcessOrThatTheCatalogCannotHoldIsRefused() {
    ReadingView inMemory = new ReadingView("default.reading");
    assertThatThrownBy(() -> inMemory.showBase(SPARK, base.name()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("would end with this process");
    ReadingView onHadoop = new ReadingView(lake.table("reading").toString());
    assertThatThrownBy(() -> onHadoop.showBase(SPARK, base.name()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its catalog holds no views");
  }

  private void useJdbc() {
    create(TestLake.jdbc(directory), 2, "copy-on-write");
  }

  private static String[] columns(ReadingView view) {
    return SPARK.table(view.view()).columns();
  }

  @Test
  void nothingIsTakenForGranted() {
    Map<String, Check.Verdict> verdicts = verdicts(Map.of(), null);
    assertThat(verdicts)
        .containsEntry("bootstrap", Check.Verdict.FAIL)
        .containsEntry("watermark", Check.Verdict.FAIL)
        .containsEntry("clean days", Check.Verdict.UNKNOWN)
        .doesNotContainValue(Check.Verdict.PASS);
  }

  @Test
  void everythingInOrderPassesButTheFewCleanDays() throws Exception {
    new Bootstrap(SPARK, base.name(), ledger.name())
        .load(
            new BinlogPosition(new Gtid(0, 1, 10), Instant.parse("2026-01-01T10:10:00Z")),
            SPARK.sql("SELECT 1L AS id, 'a' AS state, 1.00BD AS amount"));
    ledger.append(recent(), insert(11, 2, "state", "b", "amount", "2.00"));
    merge();
    ShadowHistory history = new ShadowHistory(SPARK, lake.table("history"));
    history.add(
        ShadowCompare.of(List.of("id"), List.of("state", "amount"))
            .run(SPARK, Side.base(SPARK, base.name()), reference("reference"), null, clock()));
    Path flink =
        Files.writeString(directory.resolve("config.yaml"), "state.checkpoints.dir: s3://x\n");
    HttpServer registry = registry();
    try {
      Map<String, Check.Verdict> verdicts =
          verdicts(
              Map.of(
                  "flink.conf", flink.toString(),
                  "schema-registry.url", "http://127.0.0.1:" + registry.getAddress().getPort(),
                  "schema-registry.subjects", "shop.orders-value",
                  "source.url", "jdbc:nosuch:driver",
                  "alerts.kafka-lag", "#data-alerts",
                  "alerts.failed-checkpoints", "#data-alerts",
                  "rollback.document", flink.toString()),
              history);
      assertThat(verdicts)
          .containsEntry("clean days", Check.Verdict.FAIL)
          .containsEntry("binlog retention", Check.Verdict.UNKNOWN);
      verdicts.keySet().removeAll(List.of("clean days", "binlog retention"));
      assertThat(verdicts.values()).containsOnly(Check.Verdict.PASS);
    } finally {
      registry.stop(0);
    }
  }

  @Test
  void whatIsWrongFailsAndWhatCannotBeSeenIsUnknown() throws Exception {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    HttpServer registry = registry();
    try {
      String url = "http://u:hush@127.0.0.1:" + registry.getAddress().getPort();
      assertThat(check("schemas registered", Map.of(REGISTRY, url, SUBJECTS, "none")))
          .isEqualTo(Check.Verdict.FAIL);
      assertThat(check("schemas registered", Map.of(REGISTRY, url, SUBJECTS, "missing")))
          .isEqualTo(Check.Verdict.FAIL);
      for (String subject : List.of("unauthorized", "silent", ",", " , ")) {
        assertThat(check("schemas registered", Map.of(REGISTRY, url, SUBJECTS, subject)))
            .as(subject)
            .isEqualTo(Check.Verdict.UNKNOWN);
      }
      assertThat(check("rollback documented", Map.of("rollback.document", url + "/way-back")))
          .isEqualTo(Check.Verdict.PASS);
      assertThat(check("rollback documented", Map.of("rollback.document", url + "/config/silent")))
          .isEqualTo(Check.Verdict.UNKNOWN);
    } finally {
      registry.stop(0);
    }
    assertThat(check("rollback documented", Map.of("rollback.document", "/nowhere")))
        .isEqualTo(Check.Verdict.FAIL);
    assertThat(check("checkpoint storage", Map.of("flink.conf", "/nowhere")))
        .isEqualTo(Check.Verdict.UNKNOWN);
    for (String alert : List.of("alert on Kafka lag", "alert on checkpoints")) {
      assertThat(check(alert, Map.of("alerts.kafka-lag", " ")))
          .as(alert)
          .isEqualTo(Check.Verdict.UNKNOWN);
    }
    assertThat(check("bootstrap", Map.of())).isEqualTo(Check.Verdict.FAIL);
    assertThat(check("bootstrap", Map.of("ledgers.from-creation", "db.other, db.ledger")))
        .isEqualTo(Check.Verdict.UNKNOWN);
  }

  @Test
  void checkpointDirectoryMustBeSetAndNotCommentedOut() throws Exception {
    for (String text :
        List.of(
            "execution.checkpointing.dir: s3://x",
            "execution:\n  checkpointing:\n    interval: 1min\n    dir: 's3://x' # there\n",
            "[{\"key\":\"execution.checkpointing.dir\",\"value\":\"s3://x\"}]")) {
      assertThat(checkpoints(text)).as(text).isEqualTo(Check.Verdict.PASS);
    }
    for (String text :
        List.of(
            "",
            "execution.checkpointing.dir: # todo",
            "execution.checkpointing.dir: ''",
            "# execution.checkpointing.dir: s3://x",
            "execution:\n  checkpointing:\n    interval: 1min\nother:\n    dir: s3://x\n",
            "[{\"key\":\"execution.checkpointing.dir\",\"value\":\"\"}]")) {
      assertThat(checkpoints(text)).as(text).isEqualTo(Check.Verdict.FAIL);
    }
  }

  @Test
  void baseTableThatWasRolledBackFailsTheWatermark() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    long first = lake.load(base.name()).currentSnapshot().snapshotId();
    ledger.append(upTo("13:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    assertThat(watermark("2026-01-01T15:59:00Z").toString())
        .isEqualTo(
            "PASS     watermark              [2026-01-01T10:00:00Z, 2026-01-01T13:00:00Z) estimate, 2 hours old, moved by the last merge");
    lake.load(base.name()).manageSnapshots().rollbackTo(first).commit();
    assertThat(watermark("2026-01-01T15:59:00Z").verdict()).isEqualTo(Check.Verdict.FAIL);
  }

  @Test
  void watermarkThatStandsStillOrClaimsNothingDoesNotPass() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    Hold behind = Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("orders-1"));
    ledger.append(
        TestOpinions.of("10:00", "11:00", behind), insert(2, 2, "state", "a", "amount", "1.00"));
    merge();
    assertThat(watermark("2026-01-03T11:00:00Z").verdict()).isEqualTo(Check.Verdict.PASS);
    assertThat(watermark("2026-01-03T11:00:01Z"))
        .extracting(Check::verdict, Check::why)
        .containsExactly(
            Check.Verdict.UNKNOWN,
            "[2026-01-01T10:00:00Z, 2026-01-01T11:00:00Z) estimate, 48 hours old, held: SOURCE_BEHIND(orders-1); older than 48 hours: nobody can tell that merges still come");

    ledger.append(pending(upTo("12:00")), insert(3, 3, "state", "a", "amount", "1.00"));
    merge();
    assertThat(watermark("2026-01-01T12:00:00Z").verdict()).isEqualTo(Check.Verdict.FAIL);
    assertThat(watermark("2026-01-01T12:00:00Z").why())
        .contains("held: BOOTSTRAP_PENDING; a bootstrap beside the stream is not completed");
  }

  @Test
  void watermarkOfAnEmptyIntervalFails() {
    ledger.append(
        TestOpinions.of("11:00", "11:00", null), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    assertThat(watermark("2026-01-01T12:00:00Z").verdict()).isEqualTo(Check.Verdict.FAIL);
    assertThat(watermark("2026-01-01T12:00:00Z").why()).contains("the interval is empty");
  }

  @Test
  void comparisonBeforeTheNewestLoadVerifiesNothing() {
    TestLedger returns = TestLedger.create(lake, "returns", 2);
    load(ledger, 1);
    ledger.append(recent(), insert(11, 2, "state", "b", "amount", "2.00"));
    merge();
    ShadowHistory history = new ShadowHistory(SPARK, lake.table("history"));
    compare(history, "first");
    assertThat(bootstrap(history).verdict()).isEqualTo(Check.Verdict.PASS);

    load(returns, 3);
    returns.append(recent(), insert(12, 4, "state", "b", "amount", "2.00"));
    LedgerMerge.of(
            SPARK,
            new MergeRequest(
                base.name(),
                List.of(ledger.name(), returns.name()),
                Set.of(),
                MergeOptions.STANDARD))
        .run();
    assertThat(bootstrap(history).verdict()).isEqualTo(Check.Verdict.UNKNOWN);
    assertThat(bootstrap(history).why())
        .startsWith("loaded and merged; its position is not verified: run compare --history");
    compare(history, "second");
    assertThat(bootstrap(history).verdict()).isEqualTo(Check.Verdict.PASS);

    SPARK.sql("DROP TABLE " + base.name().sql());
    base = TestBase.create(lake, "orders", 2, "copy-on-write");
    load(ledger, 1);
    merge();
    assertThat(history.cleanDays(lake.load(base.name()).uuid(), Instant.now()).days())
        .as("of the table that was dropped")
        .isZero();
  }

  private void load(TestLedger of, long id) {
    new Bootstrap(SPARK, base.name(), of.name())
        .load(
            new BinlogPosition(new Gtid(0, 1, 10), Instant.parse("2026-01-01T10:10:00Z")),
            SPARK.sql("SELECT %dL AS id, 'a' AS state, 1.00BD AS amount".formatted(id)));
  }

  private void compare(ShadowHistory history, String reference) {
    ShadowReport report =
        ShadowCompare.of(List.of("id"), List.of("state", "amount"))
            .run(
                SPARK,
                Side.base(SPARK, base.name()),
                reference(reference),
                null,
                Clock.systemUTC());
    assertThat(report.isClean()).isTrue();
    history.add(report);
  }

  private Check bootstrap(ShadowHistory history) {
    return checks(Map.of(), history, clock()).get(0);
  }

  private Check watermark(String now) {
    Clock clock = Clock.fixed(Instant.parse(now), ZoneOffset.UTC);
    return checks(Map.of(), null, clock).get(1);
  }

  /** Of the hour before this one. */
  private static Opinion recent() {
    Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    return TestOpinions.between(hour.minus(Duration.ofHours(1)), hour, null);
  }

  private static Opinion pending(Opinion opinion) {
    return new Opinion(
        opinion.watermark(),
        opinion.policy(),
        opinion.hold(),
        opinion.epoch(),
        true,
        opinion.writers(),
        opinion.reopened());
  }

  @Test
  void addressesOfAlertsAndLoginsAreNotPrinted() {
    List<Check> checks =
        new CutoverChecklist(
                SPARK,
                base.name(),
                new CutoverFacts(
                    Map.of(
                        "alerts.kafka-lag",
                        "https://hooks.example/hush",
                        "rollback.document",
                        "http://u:hush@127.0.0.1:1/x?token=hush",
                        REGISTRY,
                        "http://u:hush@127.0.0.1:1",
                        SUBJECTS,
                        "s")),
                clock())
            .run(null);
    assertThat(checks.toString()).contains("127.0.0.1:1").doesNotContain("hush");
  }

  /** A table of its own with the rows that the base table has now. */
  private Side reference(String table) {
    TableName name = lake.table(table);
    SPARK.sql(
        "CREATE TABLE %s USING iceberg AS SELECT id, state, amount FROM %s WHERE NOT coalesce(cdc_deleted, false)"
            .formatted(name.sql(), base.name().sql()));
    return new Side(name.toString(), SPARK.table(name.sql()), null);
  }

  private Check.Verdict checkpoints(String text) throws Exception {
    Path file = Files.writeString(directory.resolve("flink.yaml"), text);
    return check("checkpoint storage", Map.of("flink.conf", file.toString()));
  }

  private Check.Verdict check(String name, Map<String, String> facts) {
    return java.util.Objects.requireNonNull(verdicts(facts, null).get(name));
  }

  private static HttpServer registry() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          String level = path.equals("/config/none") ? "NONE" : "BACKWARD";
          byte[] body =
              "{\"compatibilityLevel\":\"%s\"}".formatted(level).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(STATUS.getOrDefault(path, 200), body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private Map<String, Check.Verdict> verdicts(
      Map<String, String> facts, @Nullable ShadowHistory history) {
    return checks(facts, history, clock()).stream()
        .collect(Collectors.toMap(Check::name, Check::verdict));
  }

  private List<Check> checks(
      Map<String, String> facts, @Nullable ShadowHistory history, Clock clock) {
    return new CutoverChecklist(SPARK, base.name(), new CutoverFacts(facts), clock).run(history);
  }

  private static Clock clock() {
    return Clock.offset(Clock.systemUTC(), Duration.ofSeconds(1));
  }

  private static String read(ReadingView view) {
    return SPARK.table(view.view()).collectAsList().stream()
        .map(Object::toString)
        .collect(Collectors.joining());
  }

  private void merge() {
    LedgerMerge.of(SPARK, MergeRequest.of(base.name(), ledger.name())).run();
  }
}

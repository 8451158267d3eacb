package dev.tidemark.spark.cutover;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.spark.bootstrap.Bootstrap;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.shadow.ShadowCompare;
import dev.tidemark.spark.shadow.ShadowHistory;
import dev.tidemark.spark.shadow.Side;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Views that are swapped and swapped back, and what the checklist knows. */
class CutoverITCase {
  private static final SparkSession SPARK = TestSession.get();

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLake lake;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLedger ledger;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestBase base;

  @BeforeEach
  void create() {
    lake = TestLake.hadoop(directory);
    ledger = TestLedger.create(lake, "ledger", 2);
    base = TestBase.create(lake, "orders", 2, "copy-on-write");
  }

  @Test
  void viewIsSwappedToTheBaseTableAndBack() {
    SPARK.sql("CREATE TABLE " + lake.table("old").sql() + " AS SELECT 7L AS id");
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"), delete(2, 2));
    merge();
    ReadingView view = new ReadingView("default.orders_" + base.name().catalog());
    assertThatThrownBy(() -> view.fallBack(SPARK)).hasMessageContaining("shown nothing else");

    view.showTable(SPARK, lake.table("old"));
    assertThat(read(view)).isEqualTo("[7]");
    view.showBase(SPARK, base.name());
    assertThat(read(view)).isEqualTo("[1,a,1.00]");
    view.fallBack(SPARK);
    assertThat(read(view)).isEqualTo("[7]");
    view.fallBack(SPARK);
    assertThat(read(view)).isEqualTo("[1,a,1.00]");
    SPARK.sql("DROP VIEW " + view.view());
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
    ledger.append(upTo("11:00"), insert(11, 2, "state", "b", "amount", "2.00"));
    merge();
    ShadowHistory history = new ShadowHistory(SPARK, lake.table("history"));
    Side side = Side.base(SPARK, base.name());
    history.add(
        ShadowCompare.of(List.of("id"), List.of("state", "amount"))
            .run(SPARK, side, side, null, clock()));
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

  private static HttpServer registry() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"compatibilityLevel\":\"BACKWARD\"}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private Map<String, Check.Verdict> verdicts(
      Map<String, String> facts, @org.jspecify.annotations.Nullable ShadowHistory history) {
    return new CutoverChecklist(SPARK, base.name(), new CutoverFacts(facts), clock())
        .run(history).stream().collect(Collectors.toMap(Check::name, Check::verdict));
  }

  private static Clock clock() {
    return Clock.fixed(Instant.parse("2026-01-02T10:00:00Z"), ZoneOffset.UTC);
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

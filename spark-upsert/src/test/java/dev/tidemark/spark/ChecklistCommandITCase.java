package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.spark.bootstrap.Bootstrap;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.ServerVariables;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A checklist that ends with every point passed, and so with exit status 0, after two weeks of
 * comparisons; and what takes that away. The server's variables come from a double here: that
 * MariaDB itself is asked is tested in {@code quickstart}.
 */
class ChecklistCommandITCase extends OrdersFixture {
  private static final int DAYS = 14;

  @Test
  void everythingInOrderIsStatusZeroUntilAColumnIsIgnored() throws Exception {
    load();
    TableName reference = reference();
    Instant now = Instant.now();
    for (int ago = DAYS - 1; ago >= 0; ago--) {
      compare(now.minus(Duration.ofDays(ago)), reference);
    }
    HttpServer registry = registry();
    try (ServerVariables source = ServerVariables.of(Duration.ofDays(7))) {
      Path facts = facts("http://127.0.0.1:" + registry.getAddress().getPort(), source);
      CommandLine asked = checklist(now, facts);
      assertThat(asked.output().lines()).hasSize(9).allMatch(line -> line.startsWith("PASS "));
      assertThat(asked.output())
          .containsPattern("PASS +watermark .*, [01] hours old, moved by the last merge\n");
      assertThat(asked.status()).isZero();

      compare(now.plusSeconds(1), reference, "--ignored", "amount,none");
      CommandLine ignoring = checklist(now.plusSeconds(2), facts);
      assertThat(ignoring.output())
          .containsPattern(
              "UNKNOWN +bootstrap .*, but nobody compared columns \\[amount\\]: run compare --history without --ignored\n")
          .containsPattern(
              "UNKNOWN +clean days +14 in a row .*nobody compared columns \\[amount\\]");
      assertThat(ignoring.output().lines().filter(line -> line.startsWith("PASS "))).hasSize(7);
      assertThat(ignoring.status()).isEqualTo(1);
      assertThat(cleanDays(now.plusSeconds(2)).output())
          .endsWith("  columns that a comparison left out: amount\n");
    } finally {
      registry.stop(0);
    }
  }

  /** A dump, and a merge after it whose watermark is of this hour. */
  private void load() {
    new Bootstrap(TestSession.get(), base.name(), ledger.name())
        .load(
            new BinlogPosition(new Gtid(0, 1, 10), Instant.parse("2026-01-01T10:10:00Z")),
            TestSession.get().sql("SELECT 1L AS id, 'a' AS state, 1.00BD AS amount"));
    Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    ledger.append(
        TestOpinions.between(hour.minus(Duration.ofHours(1)), hour, null),
        insert(11, 2, "state", "b", "amount", "2.00"));
    CommandLine merged =
        CommandLine.run("merge", "--base", base.name(), "--ledgers", ledger.name());
    assertThat(merged.status()).as(merged.output()).isZero();
  }

  private TableName reference() {
    TableName name = lake.table("reference");
    TestSession.get()
        .sql(
            "CREATE TABLE %s USING iceberg AS SELECT id, state, amount FROM %s"
                .formatted(name.sql(), base.name().sql()));
    return name;
  }

  private void compare(Instant time, TableName reference, String... more) {
    List<Object> words = new ArrayList<>(List.of("compare", "--base", base.name(), "--key", "id"));
    words.addAll(List.of("--reference", reference, "--history", lake.table("history")));
    words.addAll(List.of(more));
    CommandLine compared = CommandLine.run(at(time), words.toArray());
    assertThat(compared.status()).as(compared.output()).isZero();
  }

  private CommandLine checklist(Instant time, Path facts) {
    return CommandLine.run(
        at(time),
        "checklist",
        "--base",
        base.name(),
        "--history",
        lake.table("history"),
        "--facts",
        facts);
  }

  private CommandLine cleanDays(Instant time) {
    return CommandLine.run(
        at(time), "clean-days", "--base", base.name(), "--history", lake.table("history"));
  }

  private Path facts(String registry, ServerVariables source) throws Exception {
    Path flink =
        Files.writeString(directory.resolve("flink.yaml"), "state.checkpoints.dir: s3://x");
    List<String> lines =
        List.of(
            "flink.conf=" + flink,
            "schema-registry.url=" + registry,
            "schema-registry.subjects=shop.orders-key, shop.orders-value",
            "source.url=" + source.url(),
            "alerts.kafka-lag=#data-alerts",
            "alerts.failed-checkpoints=#data-alerts",
            "rollback.document=" + registry + "/way-back");
    return Files.write(directory.resolve("facts.properties"), lines);
  }

  private static HttpServer registry() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] body = "{\"compatibilityLevel\":\"BACKWARD\"}".getBytes(StandardCharsets.UTF_8);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static Clock at(Instant time) {
    return Clock.fixed(time, ZoneOffset.UTC);
  }
}

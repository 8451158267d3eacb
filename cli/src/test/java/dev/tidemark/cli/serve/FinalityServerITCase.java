package dev.tidemark.cli.serve;

import static dev.tidemark.cli.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.cli.alert.Alerts;
import dev.tidemark.cli.serve.Client.Got;
import dev.tidemark.cli.testing.Cli;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FinalityServerITCase {
  private static final String TABLE = "lake.db.events";
  private static final String FINALITY = "/v1/tables/" + TABLE + "/finality";
  private static final String HOURS = "/v1/tables/" + TABLE + "/hours";
  private static final String SECRET = "a-token-that-nobody-guesses";

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  Table table;

  @SuppressWarnings("NullAway.Init") // set before each test
  EventWriter writer;

  private final List<Served> open = new ArrayList<>();

  /** Complete up to 12:00. */
  @BeforeEach
  void fill() {
    table = TestCatalog.hadoop(directory).create("events");
    writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10", "12:50");
  }

  @AfterEach
  void close() {
    open.forEach(Served::close);
  }

  private Client serve() {
    return keep(Served.of(directory, TABLE)).polled().client();
  }

  private Served keep(Served served) {
    open.add(served);
    return served;
  }

  @Test
  void answerIsThatOfTheCommandLine() {
    JsonNode served = serve().get(FINALITY + "?through=2026-01-01T11").json();
    String printed = Cli.run(directory, "check", TABLE, "2026-01-01T11", "--json").out();
    printed =
        printed.replaceAll(
            "(?s)\"ageSeconds\" : \\d+", "\"ageSeconds\" : " + served.get("ageSeconds"));
    assertThat(served.toPrettyString()).isEqualTo(printed.strip());
    assertThat(served.get("answer").asText()).isEqualTo("READY");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-01T11, UTC, READY",
    "2026-01-01T12, UTC, NOT_READY",
    "2026-01-01T20, Asia/Seoul, READY",
    "2026-01-01T21, Asia/Seoul, NOT_READY",
    "2026-01-01T11:59:00Z, UTC, READY"
  })
  void hoursAreThoseOfTheZone(String through, String zone, String answer) {
    Got got = serve().get(FINALITY + "?through=" + through + "&zone=" + zone);
    assertThat(got.text("answer")).isEqualTo(answer);
  }

  @Test
  void reopenedHourIsReadyToWhoHasReadItsRevision() {
    writer.write("11:20", "13:40");
    Client client = serve();
    Got reopened = client.get(FINALITY + "?through=2026-01-01T11");
    assertThat(reopened.text("answer")).isEqualTo("LATE_REOPENED");
    assertThat(reopened.json().get("lateRows").asLong()).isEqualTo(1);
    assertThat(client.get(FINALITY + "?through=2026-01-01T11&revision=1").text("answer"))
        .isEqualTo("READY");
  }

  @Test
  void waitingClientIsReleasedByTheCommit() throws Exception {
    Client client = serve();
    CompletableFuture<Got> waiting = client.later(FINALITY + "?through=2026-01-01T12&wait=60s");
    awaitWaiting(client, 1);
    assertThat(waiting).isNotDone();
    writer.write("13:05");
    Got got = waiting.get(50, TimeUnit.SECONDS); // and not by the end of its wait
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.text("answer")).isEqualTo("READY");
    assertThat(got.text("watermark")).isEqualTo("2026-01-01T13:00:00Z");
  }

  @Test
  void waitEndsWithTheAnswerOfThatTime() {
    Got got = serve().get(FINALITY + "?through=2026-01-01T12&wait=100ms");
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.text("answer")).isEqualTo("NOT_READY");
  }

  @Test
  void readyIsAnsweredAtOnceHoweverLongTheWait() {
    assertThat(serve().get(FINALITY + "?through=2026-01-01T11&wait=60s").text("answer"))
        .isEqualTo("READY");
  }

  @Test
  void oneCommitReleasesAllClientsAndOnePollerReadsForThem() {
    Client client = serve();
    List<CompletableFuture<Got>> waiting = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      waiting.add(client.later(FINALITY + "?through=2026-01-01T12&wait=60s"));
    }
    awaitWaiting(client, 30);
    await().until(() -> pollers() == 1); // those of the tests before may still be ending
    writer.write("13:05");
    assertThat(waiting)
        .allSatisfy(each -> assertThat(each.join().text("answer")).isEqualTo("READY"));
    awaitWaiting(client, 0);
  }

  private static long pollers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("poll-"))
        .count();
  }

  @Test
  void tagOfTheSameAnswerIsNotModified() {
    Client client = serve();
    for (String path :
        List.of(
            FINALITY,
            FINALITY + "?through=2026-01-01T11",
            HOURS,
            "/v1/tables",
            "/v1/tables/" + TABLE + "/commits",
            "/")) {
      Got first = client.get(path);
      assertThat(first.status()).as(path).isEqualTo(200);
      Got again = client.get(path, "If-None-Match", first.header("ETag"));
      assertThat(again.status()).as(path).isEqualTo(304);
      assertThat(again.response().body()).isEmpty();
      assertThat(again.header("ETag")).isEqualTo(first.header("ETag"));
    }
  }

  @Test
  void tagHoldsSnapshotAndAnswer() {
    assertThat(serve().get(FINALITY + "?through=2026-01-01T11").header("ETag"))
        .startsWith("W/\"" + table.currentSnapshot().snapshotId() + "-READY-");
  }

  @Test
  void withATagAClientWaitsForAnyOtherAnswer() {
    Client client = serve();
    String tag = client.get(FINALITY + "?through=2026-01-01T11").header("ETag");
    CompletableFuture<Got> waiting =
        client.later(FINALITY + "?through=2026-01-01T11&wait=60s", "If-None-Match", tag);
    awaitWaiting(client, 1);
    writer.write("11:20", "13:40");
    assertThat(waiting.join().text("answer")).isEqualTo("LATE_REOPENED");

    String newer = client.get(FINALITY).header("ETag");
    assertThat(client.get(FINALITY + "?wait=100ms", "If-None-Match", newer).status())
        .isEqualTo(304);
  }

  @Test
  void hoursTellTheirStates() {
    writer.write("11:20", "13:40");
    JsonNode hours =
        serve().get(HOURS + "?from=2026-01-01T09&to=2026-01-01T14").json().get("hours");
    List<String> states = new ArrayList<>();
    hours.forEach(hour -> states.add(hour.get("state").asText()));
    assertThat(states).containsExactly("final", "final", "reopened", "open", "open");
    assertThat(hours.get(2).get("lateRows").asLong()).isEqualTo(1);
    assertThat(hours.get(2).get("revision").asInt()).isEqualTo(1);
    assertThat(hours.get(2).get("start").asText()).isEqualTo("2026-01-01T11:00:00Z");
  }

  @Test
  void rolledBackTableIsRevokedEverywhere() {
    List<Long> snapshots =
        IcebergHistory.of(table, "main").snapshots().map(s -> s.snapshotId()).toList();
    table.manageSnapshots().rollbackTo(snapshots.get(1)).commit();
    Client client = serve();
    assertThat(client.get(FINALITY + "?through=2026-01-01T11&wait=60s").text("answer"))
        .isEqualTo("REVOKED");
    assertThat(client.get(HOURS).json().get("hours"))
        .isNotEmpty()
        .allSatisfy(hour -> assertThat(hour.get("state").asText()).isEqualTo("revoked"));
    assertThat(client.get("/metrics").response().body())
        .contains("tidemark_revoked{table=\"lake.db.events\"} 1\n");
  }

  @Test
  void commitsAreThoseOfTheTimeline() {
    JsonNode commits =
        serve().get("/v1/tables/" + TABLE + "/commits?limit=2").json().get("commits");
    assertThat(commits).hasSize(2);
    JsonNode newest = commits.get(0);
    assertThat(newest.get("rows").asLong()).isEqualTo(2);
    assertThat(newest.get("min").asText()).isEqualTo("2026-01-01T12:10:00Z");
    assertThat(newest.get("max").asText()).isEqualTo("2026-01-01T12:50:00Z");
    assertThat(newest.get("watermark").asText()).isEqualTo("2026-01-01T12:00:00Z");
    assertThat(newest.get("foreign").asBoolean()).isFalse();
    assertThat(newest.get("lateRows").asLong()).isZero();
  }

  @Test
  void explanationSaysWhyAndWhatWouldMoveIt() {
    writer.writeNothing(true);
    Got got = serve().get("/v1/tables/" + TABLE + "/explain");
    assertThat(got.text("hold")).isEqualTo(table().get("hold").asText());
    assertThat(got.text("summary")).isNotEmpty();
    assertThat(got.json().get("moves")).isNotEmpty();
    assertThat(got.json().get("since").get("time").asText()).isNotEmpty();
  }

  private JsonNode table() {
    return open.get(0).client().get("/v1/tables").json().get("tables").get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/tables/lake.db.other/finality | 404 | one of [lake.db.events]",
        "/v1/nothing | 404 | /v1/tables",
        "/v1/tables/lake.db.events/finality?through=yesterday | 400 | a day 2026-01-01",
        "/v1/tables/lake.db.events/finality?thru=2026-01-01 | 400 | through",
        "/v1/tables/lake.db.events/finality?through=2026-01-01&zone=Mars | 400 | Asia/Seoul",
        "/v1/tables/lake.db.events/finality?zone=UTC | 400 | through=",
        "/v1/tables/lake.db.events/finality?through=2026-01-01&revision=-1 | 400 | 0 or greater",
        "/v1/tables/lake.db.events/finality?wait=soon | 400 | such as 30s",
        "/v1/tables/lake.db.events/finality?wait=10m | 400 | at most 60s",
        "/v1/tables/lake.db.events/finality?wait=1s&wait=2s | 400 | once",
        "/v1/tables/lake.db.events/hours?from=2026-01-02&to=2026-01-01 | 400 | from before to",
        "/v1/tables/lake.db.events/hours?from=2020-01-01&to=2026-01-01 | 400 | at most 2000",
        "/v1/tables/lake.db.events/commits?limit=many | 400 | a whole number"
      })
  void problemSaysWhatWasExpected(String path, int status, String expected) {
    Got got = serve().get(path);
    assertThat(got.status()).isEqualTo(status);
    assertThat(got.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(got.json().get("status").asInt()).isEqualTo(status);
    assertThat(got.text("expected")).contains(expected);
    assertThat(got.text("detail")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
  void nothingCanBeChanged(String method) {
    Got got = serve().send(method, FINALITY);
    assertThat(got.status()).isEqualTo(405);
    assertThat(got.header("Allow")).isEqualTo("GET, HEAD");
  }

  @Test
  void headIsAGetWithoutABody() {
    Client client = serve();
    Got got = client.send("HEAD", FINALITY + "?through=2026-01-01T11");
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.header("ETag")).contains("READY");
    assertThat(got.response().body()).isEmpty();
  }

  @Test
  void withATokenOnlyThePageAndHealthAreForAll() {
    Client client =
        keep(Served.of(directory, Served.options(Token.of(SECRET), 10), Alerts.none(), TABLE))
            .polled("Authorization", "Bearer " + SECRET)
            .client();
    assertThat(client.get("/").status()).isEqualTo(200);
    assertThat(client.get("/healthz").status()).isEqualTo(200);
    for (String path : List.of("/v1/tables", FINALITY, "/metrics", "/nothing")) {
      Got refused = client.get(path);
      assertThat(refused.status()).as(path).isEqualTo(401);
      assertThat(refused.header("WWW-Authenticate")).startsWith("Bearer");
    }
    assertThat(client.get(FINALITY, "Authorization", "Bearer " + SECRET + "x").status())
        .isEqualTo(401);
    assertThat(client.get(FINALITY, "Authorization", "Basic " + SECRET).status()).isEqualTo(401);
    assertThat(client.get(FINALITY, "Authorization", "Bearer " + SECRET).status()).isEqualTo(200);
    assertThat(client.get(FINALITY, "Authorization", "bearer " + SECRET).status()).isEqualTo(200);
  }

  @Test
  void foreignHostNamesAreNotServed() throws Exception {
    serve();
    assertThat(RawHttp.status(open.get(0).server().uri(), "evil.example")).isEqualTo(421);
    assertThat(RawHttp.status(open.get(0).server().uri(), "localhost")).isEqualTo(200);
  }

  @Test
  void everyReplyHasTheSecurityHeaders() {
    Client client = serve();
    for (String path : List.of("/", "/v1/tables", "/v1/nothing", "/metrics")) {
      Got got = client.get(path);
      assertThat(got.header("Content-Security-Policy"))
          .contains("default-src 'none'")
          .contains("script-src 'self'")
          .doesNotContain("unsafe");
      assertThat(got.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(got.header("Server")).isEmpty();
    }
  }

  @Test
  void whatIsNoPathAtAllIsAProblemToo() {
    Got got = serve().get("/v1/tables/a%2Fb/finality");
    assertThat(got.status()).isEqualTo(400);
    assertThat(got.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(got.header("Content-Security-Policy")).contains("default-src 'none'");
  }

  @Test
  void moreWaitingClientsThanAllowedAreTurnedAway() {
    Client client =
        keep(Served.of(directory, Served.options(null, 1), Alerts.none(), TABLE)).polled().client();
    CompletableFuture<Got> first = client.later(FINALITY + "?through=2026-01-01T12&wait=60s");
    awaitWaiting(client, 1);
    Got second = client.get(FINALITY + "?through=2026-01-01T12&wait=60s");
    assertThat(second.status()).isEqualTo(503);
    assertThat(second.header("Retry-After")).isNotEmpty();
    assertThat(second.text("title")).isEqualTo("Too many waiting clients");
    assertThat(client.get(FINALITY + "?through=2026-01-01T12").status()).isEqualTo(200);
    assertThat(first).isNotDone();
  }

  @Test
  void storeThatDoesNotAnswerIsUnavailableWithWhatItSaidLast() throws IOException {
    Client client = serve();
    Path broken = Files.writeString(nextMetadata(), "{");
    await().until(() -> client.get(FINALITY).status() == 503);
    Got got = client.get(FINALITY + "?through=2026-01-01T11&wait=60s");
    assertThat(got.status()).isEqualTo(503);
    assertThat(got.text("title")).isEqualTo("Store unreachable");
    assertThat(Integer.parseInt(got.header("Retry-After"))).isPositive();
    assertThat(got.json().get("lastKnown").get("watermark").asText())
        .isEqualTo("2026-01-01T12:00:00Z");
    assertThat(got.json().get("lastKnownAgeSeconds").asLong()).isNotNegative();
    assertThat(client.get("/healthz").json().get("reachable").get(TABLE).asBoolean()).isFalse();
    assertThat(client.get("/v1/tables").json().get("tables").get(0).get("reachable").asBoolean())
        .isFalse();
    assertThat(client.get("/metrics").response().body())
        .contains("tidemark_up{table=\"lake.db.events\"} 0\n");

    Files.delete(broken);
    await().until(() -> client.get(FINALITY).status() == 200);
  }

  private Path nextMetadata() throws IOException {
    Path metadata = directory.resolve("db/events/metadata");
    int next = 1;
    while (Files.exists(metadata.resolve("v" + next + ".metadata.json"))) {
      next++;
    }
    return metadata.resolve("v" + next + ".metadata.json");
  }

  @Test
  void tableThatIsNotThereYetIsLookedForAgain() {
    Client client = keep(Served.of(directory, "lake.db.later")).polled().client();
    Got got = client.get("/v1/tables/lake.db.later/finality");
    assertThat(got.status()).isEqualTo(404);
    assertThat(got.text("detail")).startsWith("Cannot find table lake.db.later");
    TestCatalog.hadoop(directory).create("later");
    await().until(() -> client.get("/v1/tables/lake.db.later/finality").status() == 200);
  }

  @Test
  void closingAnswersWhoWaits() {
    Served served = keep(Served.of(directory, TABLE)).polled();
    CompletableFuture<Got> waiting =
        served.client().later(FINALITY + "?through=2026-01-01T12&wait=60s");
    awaitWaiting(served.client(), 1);
    served.close();
    assertThat(waiting.join().text("answer")).isEqualTo("NOT_READY");
  }

  @Test
  void addressThatIsTakenIsNamed() {
    Served first = keep(Served.of(directory, TABLE));
    int port = first.server().uri().getPort();
    ServeOptions taken =
        new ServeOptions(
            ServeOptions.parseListen("127.0.0.1:" + port),
            ServeOptions.DEFAULT.pollInterval(),
            1,
            null);
    assertThatThrownBy(() -> Served.of(directory, taken, Alerts.none(), TABLE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("--listen");
  }

  private static void awaitWaiting(Client client, int clients) {
    await().until(() -> client.hasMetric("tidemark_waiting_clients " + clients));
  }
}

package dev.tidemark.pinot.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.tidemark.finalization.testing.TestingClock;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerDouble.Asked;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControllerClientTest {
  private static final PinotTable TABLE = new PinotTable("orders", PinotTable.Type.OFFLINE);
  private static final SegmentUpload.CustomMap CUSTOM =
      new SegmentUpload.CustomMap(Map.of("key", "grün"));
  private static final String IDEAL = "{\"OFFLINE\": {\"s1\": {\"server\": \"ONLINE\"}}}";
  private static final AtomicInteger TOKENS = new AtomicInteger();

  private final TestingClock clock = new TestingClock(Instant.parse("2026-01-01T00:00:00Z"));
  private final List<Duration> waits = new ArrayList<>();
  private ControllerDouble controller;

  @TempDir Path directory;

  @BeforeEach
  void start() throws Exception {
    controller = new ControllerDouble();
  }

  @AfterEach
  void stop() {
    controller.close();
  }

  @Test
  void prefixOfThePathIsKept() {
    controller.then(200, "{\"tables\": [\"a\", \"b\"]}");
    ControllerClient client =
        client(ControllerSettings.builder(controller.url() + "/pinot/").build());
    assertThat(client.tables()).containsExactly("a", "b");
    assertThat(controller.asked().get(0).uri()).isEqualTo("/pinot/tables");
  }

  @Test
  void passingFailuresAreTriedAgainWithGrowingWaits() {
    controller.then(503, "").then(500, "").thenCut().then(429, "").then(200, "{\"tables\": []}");
    ControllerClient client = client(settings().build());
    assertThat(client.tables()).isEmpty();
    assertThat(waits).hasSizeGreaterThanOrEqualTo(3);
    assertThat(client.retries()).isEqualTo(waits.size());
    for (int i = 0; i < waits.size(); i++) {
      long most = 200L << i;
      assertThat(waits.get(i).toMillis()).isBetween(most / 2, most);
    }
  }

  @Test
  void nobodyHoldsASegmentOfATableThatHasNoExternalViewYet() {
    ControllerClient client = client(settings().build());
    controller.then(404, "{\"code\": 404, \"error\": \"Table not found\"}");
    assertThat(client.externalView(TABLE, List.of("s1"))).isEmpty();
    controller.then(404, "{\"code\": 404, \"error\": \"Table not found\"}");
    assertThatThrownBy(() -> client.idealState(TABLE, List.of("s1")))
        .isInstanceOf(PinotRefusedException.class)
        .hasMessageContaining("404");
  }

  @Test
  void retryAfterReplacesAShorterWait() {
    controller.thenRetryAfter(503, "30").then(200, "{\"tables\": []}");
    client(settings().build()).tables();
    assertThat(waits).containsExactly(Duration.ofSeconds(30));

    controller.thenRetryAfter(503, "Thu, 01 Jan 2026 00:01:15 GMT").then(200, "{\"tables\": []}");
    client(settings().build()).tables();
    assertThat(waits.get(1)).isEqualTo(Duration.ofSeconds(45));
  }

  @Test
  void tryingEndsWithTheBudgetAndTellsTheLastReason() {
    for (int i = 0; i < 100; i++) {
      controller.then(503, "overloaded");
    }
    assertThatThrownBy(() -> client(settings().build()).tables())
        .isInstanceOf(PinotUnavailableException.class)
        .hasMessageContaining("Cannot list the tables")
        .hasMessageContaining("status 503 overloaded");
    assertThat(waits.stream().mapToLong(Duration::toMillis).sum())
        .isLessThanOrEqualTo(BackOff.DEFAULT.budget().toMillis());
  }

  @Test
  void refusalsAreNotTriedAgain() {
    for (int status : new int[] {400, 403, 410, 412}) {
      controller.then(status, "no");
      assertThatThrownBy(() -> client(settings().build()).tables())
          .isInstanceOf(PinotRefusedException.class)
          .hasMessageContaining("status " + status + " no");
    }
    assertThat(waits).isEmpty();
    assertThat(controller.asked()).hasSize(4);
  }

  @Test
  void tokenIsReadAnewForEachRequestAndAgainAfterARefusal() {
    TOKENS.set(0);
    controller.then(200, "{}").then(401, "").then(200, "{}");
    ControllerClient client =
        client(settings().auth(PinotAuth.bearer(() -> "t" + TOKENS.incrementAndGet())).build());
    client.tables();
    client.tables();
    assertThat(controller.asked().stream().map(asked -> asked.header("Authorization")))
        .containsExactly("Bearer t1", "Bearer t2", "Bearer t3");
  }

  @Test
  void tokenOfAFileIsReadAnew() throws Exception {
    Path file = directory.resolve("token");
    Files.writeString(file, "one\n");
    controller.then(200, "{}").then(200, "{}");
    ControllerClient client = client(settings().auth(PinotAuth.bearerFile(file)).build());
    client.tables();
    Files.writeString(file, "two\n");
    client.tables();
    assertThat(controller.asked().stream().map(asked -> asked.header("Authorization")))
        .containsExactly("Bearer one", "Bearer two");
  }

  @Test
  void secretsStayOutOfMessages() {
    controller.then(403, "denied for c2VjcmV0OnB3").then(403, "denied for hush");
    assertThatThrownBy(
            () -> client(settings().auth(PinotAuth.basic("secret", "pw")).build()).tables())
        .hasMessageContaining("denied for ***")
        .hasMessageNotContaining("c2VjcmV0OnB3");
    ControllerSettings settings = settings().auth(PinotAuth.bearer("hush")).build();
    assertThatThrownBy(() -> client(settings).tables()).hasMessageNotContaining("hush");
    assertThat(settings.toString()).contains("bearer token").doesNotContain("hush");
  }

  @Test
  void answersAreReadAsTheyCameWhateverTheSecret() {
    controller.then(200, "{\"tables\": [\"hush\"]}").then(403, "no");
    ControllerSettings.Builder settings = settings().auth(PinotAuth.bearer("hush"));
    assertThat(client(settings.build()).tables()).containsExactly("hush");
    ControllerSettings blank = settings().auth(PinotAuth.bearer(() -> "")).build();
    assertThatThrownBy(() -> client(blank).tables()).hasMessageNotContaining("***");
  }

  /** A second attempt would take back what somebody else wrote after the first. */
  @Test
  void tableConfigIsSentOnce() throws Exception {
    controller.then(503, "").thenCut();
    JsonNode config = new ObjectMapper().readTree("{\"tableName\": \"orders_OFFLINE\"}");
    for (int attempt = 1; attempt <= 2; attempt++) {
      assertThatThrownBy(() -> client(settings().build()).putTableConfig(TABLE, config))
          .isInstanceOf(PinotUnavailableException.class);
      assertThat(controller.asked()).hasSize(attempt);
    }
    assertThat(waits).isEmpty();
  }

  @Test
  void answerThatStallsInItsMiddleIsGivenUp() throws Exception {
    HttpServer stalling =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger requests = new AtomicInteger();
    ExecutorService threads = Executors.newCachedThreadPool();
    stalling.setExecutor(threads);
    stalling.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"tables\": [\"a\"]}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          boolean stalls = requests.getAndIncrement() == 0;
          exchange.getResponseBody().write(body, 0, stalls ? 5 : body.length);
          exchange.getResponseBody().flush();
          if (stalls) {
            awaitQuietly(end);
          }
          exchange.close();
        });
    stalling.start();
    try {
      ControllerSettings settings =
          ControllerSettings.builder("http://127.0.0.1:" + stalling.getAddress().getPort())
              .requestTimeout(Duration.ofSeconds(2))
              .build();
      assertThat(client(settings).tables()).containsExactly("a");
      assertThat(waits).isNotEmpty();
    } finally {
      end.countDown();
      stalling.stop(0);
      threads.shutdownNow();
    }
  }

  @Test
  void bodyOfAnUploadThatBreaksOffIsClosed() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    CountDownLatch closed = new CountDownLatch(1);
    try (ServerSocket rude = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> refuseEach(rude));
      thread.start();
      SegmentUpload endless =
          new SegmentUpload("s1", 7, endless(opened, closed), bytes("m"), "file:/s1");
      ControllerSettings settings =
          ControllerSettings.builder("http://127.0.0.1:" + rude.getLocalPort())
              .backOff(
                  new BackOff(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1)))
              .build();
      assertThatThrownBy(() -> client(settings).push(TABLE).tar(endless, CUSTOM))
          .isInstanceOf(PinotUnavailableException.class);
      assertThat(closed.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(opened).hasPositiveValue();
    }
  }

  @Test
  void tarIsPushedWithItsLengthAndItsCustomMap() {
    controller.then(200, "{}");
    client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM);

    Asked asked = controller.asked().get(0);
    assertThat(asked.method()).isEqualTo("POST");
    assertThat(asked.uri())
        .isEqualTo(
            "/v2/segments?tableName=orders&tableType=OFFLINE&enableParallelPushProtection=true&allowRefresh=false");
    assertThat(asked.header("Content-length")).isEqualTo(Integer.toString(asked.body().length()));
    assertThat(asked.body()).contains("filename=\"s1\"", "the tar of s1");
    assertThat(asked.header("Pinot-segmentzkmetadatacustommapmodifier"))
        .contains("\"mapModifyMode\":\"UPDATE\"", "gr\\u00fcn");
  }

  @Test
  void lostAnswerOfAnUploadIsFoundByTheChecksum() {
    controller.thenCut().then(200, "{\"segment.crc\": \"7\"}").then(200, IDEAL);
    client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM);
    assertThat(controller.asked()).hasSize(3);
  }

  @Test
  void conflictWithTheSameChecksumIsSuccessAndWithAnotherIsNot() {
    controller.then(409, "exists").then(200, "{\"segment.crc\": \"7\"}").then(200, IDEAL);
    client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM);

    controller.then(409, "exists").then(200, "{\"segment.crc\": \"8\"}").then(200, IDEAL);
    assertThatThrownBy(() -> client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM))
        .isInstanceOf(PinotRefusedException.class)
        .hasMessageContaining("its checksum there is 8");
  }

  @Test
  void parallelPushIsWaitedFor() {
    controller.then(409, "in progress").then(404, "").then(200, "{}");
    client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM);
    assertThat(waits).hasSize(1);
  }

  @Test
  void resourceLimitPassesAndAQuotaDoesNot() {
    controller.then(403, "Resource utilization limit exceeded").then(404, "").then(200, "{}");
    client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM);

    controller.then(403, "Storage quota check failed");
    assertThatThrownBy(() -> client(settings().build()).push(TABLE).tar(upload("s1", 7), CUSTOM))
        .isInstanceOf(PinotRefusedException.class)
        .hasMessageContaining("Storage quota check failed");
  }

  @Test
  void stagedFileThatIsGoneIsNotTriedAgain() {
    SegmentUpload gone =
        new SegmentUpload(
            "s1",
            7,
            new RequestBody() {
              @Override
              public InputStream open() throws IOException {
                throw new java.io.FileNotFoundException("staged/s1");
              }

              @Override
              public long length() {
                return 10;
              }
            },
            bytes("m"),
            "file:/s1");
    assertThatThrownBy(() -> client(settings().build()).push(TABLE).tar(gone, CUSTOM))
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseMessage("staged/s1");
    assertThat(waits).isEmpty();
  }

  @Test
  void metadataPushAlwaysCopiesToTheDeepStore() {
    controller.then(200, "{}");
    client(settings().build()).push(TABLE).metadata(upload("s1", 7), CUSTOM);
    Asked asked = controller.asked().get(0);
    assertThat(asked.header("Copy_segment_to_deep_store")).isEqualTo("true");
    assertThat(asked.header("Download_uri")).isEqualTo("file:/s1");
  }

  @Test
  void startOfAReplacementThatWasLostIsFound() {
    controller
        .thenCut()
        .then(
            200,
            "{\"lineageEntries\": {\"e9\": {\"segmentsFrom\": [], \"segmentsTo\": [\"b\", \"a\"],"
                + " \"state\": \"IN_PROGRESS\", \"timestamp\": 5}}}");
    assertThat(client(settings().build()).lineage(TABLE).start(List.of(), List.of("a", "b")))
        .isEqualTo("e9");
  }

  @Test
  void namesThatPinotDoesNotAcceptAreNotTriedAgain() {
    controller.then(500, "Segment: a from 'segmentsTo' exists in table: orders_OFFLINE");
    assertThatThrownBy(
            () -> client(settings().build()).lineage(TABLE).start(List.of(), List.of("a")))
        .isInstanceOf(PinotRefusedException.class);
    assertThat(waits).isEmpty();
  }

  @Test
  void lineageThatIsEmptyIsAnEmptyBody() {
    controller.then(200, "");
    assertThat(client(settings().build()).lineage(TABLE).list()).isEmpty();
  }

  @Test
  void queryWithAnExceptionInItIsNoAnswer() {
    controller.then(200, "{\"exceptions\": [{\"message\": \"broken\"}], \"resultTable\": {}}");
    assertThatThrownBy(() -> client(settings().build()).query(controller.url(), "SELECT 1"))
        .isInstanceOf(PinotUnavailableException.class)
        .hasMessageContaining("broken");
  }

  @Test
  void settingsThatCannotBeAreRefused() {
    assertThatThrownBy(() -> ControllerSettings.of("pinot:9000"))
        .hasMessageContaining("Invalid controller URL: pinot:9000");
    assertThatThrownBy(() -> ControllerSettings.of("http://user:pw@host"))
        .hasMessageContaining("(with user info)")
        .hasMessageNotContaining("pw");
    assertThatThrownBy(
            () -> new BackOff(Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofMinutes(1)))
        .hasMessageContaining("Invalid back-off");
    assertThatThrownBy(
            () -> new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO))
        .hasMessageContaining("budget PT0S (expected: more than zero");
  }

  @Test
  void boundIsOneForAllThatWaitsInIt() {
    Patience patience = patience();
    ControllerClient client = ControllerClient.of(settings().build(), patience);
    patience.bound(Duration.ofSeconds(30));
    assertThat(patience.until(Duration.ofSeconds(20), () -> false)).isFalse();
    assertThat(patience.until(Duration.ofSeconds(20), () -> false)).isFalse();
    assertThat(clock.instant()).isEqualTo(Instant.parse("2026-01-01T00:00:30Z"));

    assertThatThrownBy(client::tables)
        .isInstanceOf(PinotUnavailableException.class)
        .hasMessageContaining("Cannot list the tables: no time is left")
        .hasMessageContaining("PT30S for all of the commit");
    assertThat(controller.asked()).isEmpty();

    patience.unbound();
    controller.then(200, "{\"tables\": [\"a\"]}");
    assertThat(client.tables()).containsExactly("a");
  }

  @Test
  void requestIsNotTriedAgainPastTheBound() {
    Patience patience = patience();
    for (int i = 0; i < 50; i++) {
      controller.then(503, "");
    }
    patience.bound(Duration.ofSeconds(5));
    assertThatThrownBy(() -> ControllerClient.of(settings().build(), patience).tables())
        .isInstanceOf(PinotUnavailableException.class)
        .hasMessageContaining("times in PT5S for all of the commit");
    assertThat(clock.instant()).isBeforeOrEqualTo(Instant.parse("2026-01-01T00:00:05Z"));
  }

  private ControllerSettings.Builder settings() {
    return ControllerSettings.builder(controller.url());
  }

  private ControllerClient client(ControllerSettings settings) {
    return ControllerClient.of(settings, patience());
  }

  private Patience patience() {
    return new Patience(
        clock,
        wait -> {
          waits.add(wait);
          clock.advance(wait);
        });
  }

  /** A terabyte, of which nothing is ever read to the end. */
  private static RequestBody endless(AtomicInteger opened, CountDownLatch closed) {
    return new RequestBody() {
      @Override
      public InputStream open() {
        opened.incrementAndGet();
        return new InputStream() {
          @Override
          public int read() {
            return 0;
          }

          @Override
          public int read(byte[] buffer, int from, int length) {
            return length;
          }

          @Override
          public void close() {
            closed.countDown();
          }
        };
      }

      @Override
      public long length() {
        return 1L << 40;
      }
    };
  }

  /** Reads a little of each request, and hangs up. */
  private static void refuseEach(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        socket.getInputStream().readNBytes(10);
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SegmentUpload upload(String name, long crc) {
    return new SegmentUpload(
        name, crc, bytes("the tar of " + name), bytes("metadata"), "file:/" + name);
  }

  private static RequestBody bytes(String text) {
    return Multipart.bytes(text.getBytes(StandardCharsets.UTF_8));
  }
}

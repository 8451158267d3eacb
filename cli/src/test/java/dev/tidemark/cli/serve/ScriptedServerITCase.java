package dev.tidemark.cli.serve;

import static dev.tidemark.cli.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.serve.Client.Got;
import dev.tidemark.cli.store.StoreUnreachableException;
import dev.tidemark.cli.testing.EngineRun;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the server says while stores hang, fail and change without a commit, and what it costs. */
class ScriptedServerITCase {
  private static final String TABLE = "lake.db.orders";
  private static final String FINALITY = "/v1/tables/" + TABLE + "/finality";
  private static final String OTHER = "/v1/tables/lake.db.other/finality";
  private static final String EXPLAIN = "/v1/tables/" + TABLE + "/explain";

  private final SharedClock clock = new SharedClock(EngineRun.at("11:10"));
  private final CountDownLatch hanging = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final ScriptedTable table = new ScriptedTable(TABLE, completeUpTo11());
  private final ScriptedTable other = new ScriptedTable("lake.db.other", completeUpTo11());
  private @Nullable Served served;

  /** Moved by the test, read by the server's threads. */
  private static final class SharedClock extends Clock {
    private final AtomicReference<Instant> now;

    SharedClock(Instant now) {
      this.now = new AtomicReference<>(now);
    }

    @Override
    public Instant instant() {
      return Objects.requireNonNull(now.get());
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  private static EngineRun completeUpTo11() {
    EngineRun run = new EngineRun();
    FinalizationConfig config =
        FinalizationConfig.forWriter("orders")
            .lookback(1, Duration.ZERO)
            .readFromBeginning()
            .build();
    run.by(config).rows("10:05", "10:50").commit();
    run.by(config).rows("11:05", "11:20").commit();
    return run;
  }

  @AfterEach
  void close() {
    end.countDown();
    if (served != null) {
      served.close();
    }
  }

  private Client serve() {
    return serve(null);
  }

  private Client serve(@Nullable Token token) {
    Served started = Served.of(clock, token, table, other);
    served = started;
    if (token == null) {
      started.polled();
    }
    return started.client();
  }

  private void hang() {
    hanging.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void pass(Duration time) {
    clock.now.updateAndGet(now -> now.plus(time));
  }

  @Test
  void storeThatHangsIsUnavailableWithWhatItSaidLastAndStopsNoOther() {
    Client client = serve();
    CompletableFuture<Got> waiting = client.later(FINALITY + "?through=2026-01-01T12&wait=60s");
    table.atRead(this::hang);
    await().until(() -> hanging.getCount() == 0);
    assertThat(client.get(FINALITY).status()).isEqualTo(200);

    pass(TablePoller.LEAST_PATIENCE.plusSeconds(1));
    await().until(() -> client.get(OTHER).status() == 200);
    Got got = client.get(FINALITY + "?through=2026-01-01T10");
    assertThat(got.status()).isEqualTo(503);
    assertThat(got.text("title")).isEqualTo("Store unreachable");
    assertThat(got.text("detail")).contains(TABLE).contains("has not come back");
    assertThat(got.json().get("lastKnown").get("watermark").asText())
        .isEqualTo("2026-01-01T11:00:00Z");
    assertThat(client.get("/healthz").json().get("reachable").get(TABLE).asBoolean()).isFalse();
    assertThat(client.get("/v1/tables").json().get("tables").get(0).get("reachable").asBoolean())
        .isFalse();
    assertThat(client.get("/metrics").response().body())
        .contains("tidemark_up{table=\"lake.db.orders\"} 0\n");
    assertThat(waiting.join().status()).isEqualTo(503);

    table.atRead(() -> {});
    end.countDown();
    await().until(() -> client.get(FINALITY).status() == 200);
  }

  @Test
  void storeThatHangsFromTheFirstReadOnIsSaidToo() {
    table.atRead(this::hang);
    Served started = Served.of(clock, null, table, other);
    served = started;
    Client client = started.client();
    assertThat(client.get(FINALITY).text("title")).isEqualTo("Not read yet");
    pass(TablePoller.LEAST_PATIENCE.plusSeconds(1));
    assertThat(client.get(FINALITY).text("title")).isEqualTo("Store unreachable");
  }

  @Test
  void errorInAPollIsAFailureAndPollingGoesOn() {
    Client client = serve();
    table.atRead(
        () -> {
          throw new NoClassDefFoundError("software/amazon/awssdk/Missing");
        });
    await().until(() -> client.get(FINALITY).status() == 503);
    Got got = client.get(FINALITY);
    assertThat(got.text("title")).isEqualTo("Table not readable");
    assertThat(got.text("detail")).contains("NoClassDefFoundError: software/amazon/awssdk/Missing");
    assertThat(got.json().has("lastKnown")).isTrue();
    table.atRead(() -> {});
    await().until(() -> client.get(FINALITY).status() == 200);
  }

  @Test
  void noAccessIsNoMissingTable() {
    Client client = serve();
    table.atRead(
        () -> {
          throw new IllegalArgumentException("Cannot read lake.db.orders: token expired");
        });
    await().until(() -> client.get(FINALITY).status() != 200);
    Got got = client.get(FINALITY);
    assertThat(got.status()).isEqualTo(503);
    assertThat(got.text("title")).isEqualTo("Table not readable");
    assertThat(got.text("detail")).contains("token expired");
    assertThat(got.header("Retry-After")).isNotEmpty();
    assertThat(got.json().has("lastKnown")).isTrue();
  }

  @Test
  void secretsOfTheStoreAreNotServed() {
    Client client = serve();
    table.atRead(
        () -> {
          throw new StoreUnreachableException(
              "Failed to connect: jdbc:postgresql://u:s3cret@db/x?user=u&password=s3cret", null);
        });
    await().until(() -> client.get(FINALITY).status() == 503);
    for (String path : List.of(FINALITY, "/v1/tables")) {
      assertThat(client.get(path).response().body())
          .contains("Failed to connect: jdbc:postgresql://***@db/x?user=u&password=***")
          .doesNotContain("s3cret");
    }
  }

  @Test
  void withATokenHealthNamesNoTableToWhoDoesNotBringIt() {
    String secret = "a-token-that-nobody-guesses";
    Client client = serve(Token.of(secret));
    Got open = client.get("/healthz");
    assertThat(open.status()).isEqualTo(200);
    assertThat(open.response().body()).isEqualTo("{\"status\":\"ok\"}");
    Got known = client.get("/healthz", "Authorization", "Bearer " + secret);
    assertThat(known.json().get("reachable").has(TABLE)).isTrue();
  }

  /** As Pinot's {@code writers retire}: the opinion changes, its carrier does not. */
  @Test
  void administratorsWordWithoutACommitIsAnotherAnswer() {
    Client client = serve();
    List<String> paths =
        List.of(
            "/v1/tables",
            FINALITY,
            FINALITY + "?through=2026-01-01T10",
            "/v1/tables/" + TABLE + "/hours",
            EXPLAIN);
    List<String> tags = new ArrayList<>();
    paths.forEach(path -> tags.add(client.get(path).header("ETag")));
    CompletableFuture<Got> waiting =
        client.later("/v1/tables?wait=60s", "If-None-Match", tags.get(0));
    table.says(ScriptedServerITCase::lifted);
    assertThat(waiting.join().json().get("tables").get(0).get("watermark").asText())
        .isEqualTo("2026-01-01T12:00:00Z");
    for (int i = 0; i < paths.size(); i++) {
      assertThat(client.get(paths.get(i), "If-None-Match", tags.get(i)).status())
          .as(paths.get(i))
          .isEqualTo(200);
    }
    assertThat(client.get("/v1/tables").json().get("tables").get(0).get("watermarkSince").asText())
        .isEqualTo("2026-01-01T11:10:00Z");
  }

  private static TableFinality lifted(TableFinality finality) {
    Opinion opinion = Objects.requireNonNull(finality.opinion());
    FinalizationWatermark before = opinion.watermark();
    return new TableFinality(
        new Opinion(
            new FinalizationWatermark(
                before.fromMillis(), EngineRun.at("12:00").toEpochMilli(), before.evidence()),
            opinion.policy(),
            opinion.hold(),
            opinion.epoch(),
            opinion.bootstrapPending(),
            opinion.writers(),
            opinion.reopened()),
        finality.revoked(),
        finality.snapshotId(),
        finality.foreign(),
        finality.age());
  }

  @Test
  void silenceIsAnotherExplanationThoughNothingWasCommitted() {
    Client client = serve();
    Got first = client.get(EXPLAIN);
    assertThat(client.get(EXPLAIN, "If-None-Match", first.header("ETag")).status()).isEqualTo(304);
    assertThat(first.response().body()).doesNotContain("No commit for");
    table.isSilentFor(Duration.ofHours(3));
    await()
        .until(
            () ->
                client
                    .get(EXPLAIN, "If-None-Match", first.header("ETag"))
                    .response()
                    .body()
                    .contains("No commit for 3 h"));
  }

  @Test
  void onePollIsOneReadHoweverManyClientsAskAndWait() {
    Client client = serve();
    List<CompletableFuture<Got>> waiting = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      waiting.add(client.later(FINALITY + "?through=2026-01-01T12&wait=2s"));
      client.get(FINALITY);
    }
    waiting.forEach(each -> assertThat(each.join().status()).isEqualTo(200));
    table.atRead(this::hang); // the count stands still
    await().until(() -> hanging.getCount() == 0);
    int ended = table.reads() - 1;
    await()
        .until(() -> client.hasMetric("tidemark_polls_total{table=\"lake.db.orders\"} " + ended));
    assertThat(table.walks()).as("commits are read once").isEqualTo(1);
  }

  @Test
  void nobodyButThisMachineIsServedUnlessToldOtherwise() {
    assertThat(ServeOptions.DEFAULT.listen().getAddress().isLoopbackAddress()).isTrue();
    assertThat(ServeOptions.DEFAULT.listen().getPort()).isEqualTo(8740);
  }
}

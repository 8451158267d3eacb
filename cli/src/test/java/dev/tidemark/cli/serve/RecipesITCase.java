package dev.tidemark.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.alert.Alerts;
import dev.tidemark.cli.answer.AnswerText;
import dev.tidemark.cli.testing.Python;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TestCatalog;
import dev.tidemark.iceberg.TestFiles;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of recipes/, and those of them that need a server and real tables. */
class RecipesITCase {
  private static final String SECRET = "a-token-that-nobody-guesses";
  private static final int HISTORIES = 25;
  private static final int STEPS = 12;
  private static final File RECIPES = new File("../recipes");
  private static final String[] TABLES = {
    "events", "back", "expired", "empty", "foreign", "waited"
  };

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  private final ArrayNode cases = JsonNodeFactory.instance.arrayNode();

  @SuppressWarnings("NullAway.Init") // set before each test
  private EventWriter waited;

  @BeforeEach
  void fill() {
    EventWriter events = upToNoon("events");
    events.write("11:20", "13:40");
    ask("events", "2025-12-31", "UTC", null, "READY");
    ask("events", "2026-01-01T10", "UTC", null, "READY");
    ask("events", "2026-01-01T11", "UTC", null, "LATE_REOPENED");
    ask("events", "2026-01-01T11", "UTC", 0, "LATE_REOPENED");
    ask("events", "2026-01-01T11", "UTC", 1, "READY");
    ask("events", "2026-01-01T12", "UTC", null, "NOT_READY");
    ask("events", "2026-01-01T20", "Asia/Seoul", null, "LATE_REOPENED");
    ask("events", "2026-01-01", "UTC", null, "NOT_READY");
    ask("events", "2026-01-01", "America/New_York", null, "NOT_READY");

    upToNoon("back");
    Table back = TestCatalog.hadoop(directory).load("back");
    List<Long> snapshots =
        IcebergHistory.of(back, "main").snapshots().map(s -> s.snapshotId()).toList();
    back.manageSnapshots().rollbackTo(snapshots.get(1)).commit();
    ask("back", "2026-01-01T10", "UTC", null, "REVOKED");
    ask("back", "2026-01-01T13", "UTC", null, "REVOKED");

    EventWriter expired = upToNoon("expired");
    expired.writeNothing(true);
    Table old = TestCatalog.hadoop(directory).load("expired");
    old.newAppend().commit();
    old.newAppend().commit();
    old.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
    ask("expired", "2026-01-01T11", "UTC", null, "READY");
    ask("expired", "2026-01-01T12", "UTC", null, "NOT_READY");

    TestCatalog.hadoop(directory).create("empty");
    ask("empty", "2026-01-01T11", "UTC", null, "UNKNOWN");

    upToNoon("foreign");
    Table foreign = TestCatalog.hadoop(directory).load("foreign");
    foreign.newAppend().appendFile(TestFiles.of(foreign, List.of(TestFiles.at("11:30")))).commit();
    ask("foreign", "2026-01-01T11", "UTC", null, "LATE_REOPENED");

    waited = upToNoon("waited");
  }

  /** Complete up to 12:00. */
  private EventWriter upToNoon(String table) {
    EventWriter writer = EventWriter.start(TestCatalog.hadoop(directory).create(table), "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10", "12:50");
    return writer;
  }

  private void ask(
      String table, String through, String zone, @Nullable Integer revision, String answer) {
    ObjectNode question = cases.addObject();
    question.put("table", table).put("through", through).put("zone", zone);
    question.put("revision", revision).put("answer", answer);
  }

  /** Any commits, rollbacks, resets and expiries; what the Java reader answers at the end. */
  private ArrayNode randomHistories() {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("random histories: -Dtidemark.test.seed=" + seed);
    Random random = new Random(seed);
    ArrayNode histories = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < HISTORIES; i++) {
      String name = "history" + i;
      Table table = TestCatalog.hadoop(directory).create(name);
      EventWriter writer = EventWriter.start(table, "orders");
      StringBuilder steps = new StringBuilder();
      for (int step = 0; step < STEPS; step++) {
        steps.append(' ').append(step(random, table, writer));
      }
      ObjectNode history = histories.addObject().put("table", name).put("steps", steps.toString());
      TableFinality finality = IcebergFinality.of(table).read();
      ArrayNode answers = history.putArray("answers");
      for (int hour = 6; hour < 20; hour++) {
        long start = TestFiles.at("%02d:00".formatted(hour));
        FinalityAnswer answer = finality.answer(start, start + 3_600_000, null);
        answers.add(AnswerText.name(answer));
      }
    }
    return histories;
  }

  private static String step(Random random, Table table, EventWriter writer) {
    table.refresh();
    String time = "%02d:%02d".formatted(7 + random.nextInt(12), random.nextInt(60));
    switch (random.nextInt(10)) {
      case 0:
        TestFiles.append(table, TestFiles.of(table, time));
        return "foreign@" + time;
      case 1:
        List<Long> kept = new ArrayList<>();
        table.snapshots().forEach(snapshot -> kept.add(snapshot.snapshotId()));
        long target = kept.get(random.nextInt(kept.size()));
        table.manageSnapshots().setCurrentSnapshot(target).commit();
        return "back";
      case 2:
        try {
          FinalizationAdmin.of(table).reset();
          return "reset";
        } catch (IllegalStateException e) {
          return "no-reset";
        }
      case 3:
        table
            .expireSnapshots()
            .expireOlderThan(Long.MAX_VALUE)
            .retainLast(1 + random.nextInt(3))
            .commit();
        return "expire";
      case 4:
        table.updateProperties().set("finalization.watermark-ms", "" + TestFiles.at(time)).commit();
        return "edit@" + time;
      default:
        writer.write(time);
        return "write@" + time;
    }
  }

  @Test
  void pythonTestsPassAlsoAgainstTheRealServer() throws Exception {
    Python.assumeThere();
    Served server =
        Served.of(
            directory,
            Served.options(Token.of(SECRET), 10),
            Alerts.none(),
            Stream.of(TABLES).map(table -> "lake.db." + table).toArray(String[]::new));
    try (server) {
      server.polled("Authorization", "Bearer " + SECRET);
      ObjectNode given = JsonNodeFactory.instance.objectNode();
      given.put("url", server.server().uri().toString()).put("token", SECRET);
      given.put("lake", directory.toString()).set("cases", cases);
      given.set("histories", randomHistories());
      given.putObject("release").put("table", "lake.db.waited").put("through", "2026-01-01T12");
      CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> commitOnceAwaited(server));
      String said = python(given, "-m", "unittest", "discover", "-v", "-s", "tests", "-t", ".");
      assertThat(said).endsWith("\nOK\n").contains("test_serve").doesNotContain("skipped");
      commit.join();
    }
  }

  private void commitOnceAwaited(Served server) {
    await()
        .atMost(2, TimeUnit.MINUTES)
        .until(
            () ->
                server
                    .client()
                    .get("/metrics", "Authorization", "Bearer " + SECRET)
                    .response()
                    .body()
                    .contains("tidemark_waiting_clients 1\n"));
    waited.write("13:05");
  }

  /** What it prints; it must end by itself. */
  private static String python(ObjectNode given, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", "-B"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(RECIPES).redirectErrorStream(true);
    builder.environment().put("TIDEMARK_TEST", given.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}

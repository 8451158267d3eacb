package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.cli.testing.ChildJvm;
import dev.tidemark.cli.testing.Cli;
import dev.tidemark.cli.testing.Receiver;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tidemark serve} as a process, from its start to SIGTERM. */
class ServeCommandITCase {
  private static final Pattern SERVING = Pattern.compile("Serving \\[(.*)] at (http://[^\\s]+)");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SIGTERM = 128 + 15;

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  EventWriter writer;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Process> processes = new ArrayList<>();

  /** Complete up to 12:00; beside it a table that carries no finalization. */
  @BeforeEach
  void fill() {
    Table table = TestCatalog.hadoop(directory).create("events");
    TestCatalog.hadoop(directory).create("plain");
    writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10", "12:50");
  }

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
  }

  private Path out() {
    return directory.resolve("out.txt");
  }

  private Path err() {
    return directory.resolve("err.txt");
  }

  private Process start(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.tidemark.cli.Tidemark",
                "serve",
                "--poll",
                "100ms",
                "-clake.type=hadoop",
                "-clake.warehouse=" + directory.toUri()));
    if (!List.of(arguments).contains("--listen")) {
      command.addAll(List.of("--listen", "127.0.0.1:0"));
    }
    command.addAll(List.of(arguments));
    Process process =
        ChildJvm.withoutOptionsOfOthers(new ProcessBuilder(command))
            .redirectOutput(out().toFile())
            .redirectError(err().toFile())
            .start();
    processes.add(process);
    return process;
  }

  private Matcher serving() {
    return await()
        .atMost(PATIENCE)
        .until(() -> SERVING.matcher(Files.readString(out())), Matcher::find);
  }

  private CompletableFuture<HttpResponse<String>> get(URI uri) {
    return http.sendAsync(
        HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void withoutNamesItServesTheTablesThatCarryFinalizationAndEndsBySigterm() throws Exception {
    Process process = start();
    Matcher serving = serving();
    assertThat(serving.group(1)).isEqualTo("lake.db.events");
    URI uri = URI.create(serving.group(2));
    URI finality = uri.resolve("/v1/tables/lake.db.events/finality");
    await().atMost(PATIENCE).until(() -> get(finality).join().statusCode() == 200);
    CompletableFuture<HttpResponse<String>> waiting =
        get(URI.create(finality + "?through=2026-01-01T12&wait=60s"));
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                get(uri.resolve("/metrics"))
                    .join()
                    .body()
                    .contains("tidemark_waiting_clients 1\n"));
    process.destroy();
    assertThat(waiting.join().body()).contains("\"answer\":\"NOT_READY\"");
    assertThat(process.waitFor()).isEqualTo(SIGTERM);
    assertThat(Files.readString(err())).isEmpty();
  }

  @Test
  void webhookIsToldOfStallAndLateRowsThoughItFailsFirst() throws Exception {
    try (Receiver receiver = Receiver.start(500)) {
      start(
          "lake.db.events", "--alert-webhook", receiver.uri().toString(), "--stall-after", "PT2S");
      serving();
      await()
          .atMost(PATIENCE)
          .until(() -> receiver.taken().contains("lake.db.events/stall/2026-01-01T12:00:00Z"));
      writer.write("11:20", "13:40");
      await()
          .atMost(PATIENCE)
          .until(() -> receiver.taken().contains("lake.db.events/2026-01-01T11:00:00Z/1"));
      writer.write("14:05");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  receiver.taken().contains("lake.db.events/stall/2026-01-01T12:00:00Z/resolved"));
      assertThat(receiver.taken()).doesNotHaveDuplicates();
      assertThat(receiver.posted().get(0).answered()).isEqualTo(500);
      assertThat(receiver.posted().get(0).json().get("kind").asText()).isEqualTo("STALLED");
      assertThat(Files.readString(err())).contains("STALLED").contains("LATE_DATA");
    }
  }

  @Test
  void openToOtherMachinesWithoutATokenIsSaid() throws Exception {
    start("lake.db.events", "--listen", "0.0.0.0:0");
    serving();
    await().atMost(PATIENCE).until(() -> Files.readString(err()).contains("no token is set"));
  }

  @Test
  void whatIsNotUnderstoodIsSaidBeforeAnythingStarts() {
    assertThat(Cli.run(directory, "serve", "lake.db.events", "--token", "short").err())
        .contains("at least 16");
    assertThat(Cli.run(directory, "serve", "lake.db.events", "--listen", "everywhere").err())
        .contains("expected: HOST:PORT");
    assertThat(Cli.run(directory, "serve", "other.db.events").err())
        .contains("Unknown catalog: \"other\"");
    assertThat(
            Cli.run(
                    directory,
                    "serve",
                    "lake.db.events",
                    "--token-file",
                    directory.resolve("none").toString())
                .status())
        .isEqualTo(2);
    assertThat(Cli.run(directory, "serve", "lake.db.events", "--alert-webhook", "ftp://x/y").err())
        .contains("an http or https URL");
  }

  @Test
  void tableThatCannotBeReadIsLeftOutAloudAndTheOthersAreServed() throws Exception {
    Path metadata = directory.resolve("db/plain/metadata");
    Files.writeString(metadata.resolve("v2.metadata.json"), "{");
    start();
    assertThat(serving().group(1)).isEqualTo("lake.db.events");
    assertThat(Files.readString(err())).contains("Left out lake.db.plain, name it");
  }
}

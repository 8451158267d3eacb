package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tidemark serve} on a table of a real Pinot. The rows are of 31 December 2025. */
class ServeITCase {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Pattern SERVING = Pattern.compile("Serving \\[.*] at (http://\\S+)");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir Path directory;

  @Test
  void pinotTableIsServedAndAnAdministratorsWordIsANewAnswer() throws Exception {
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU("served"),
            Tables.configOfTimed("served"),
            directory);
    String name = "metrics." + load.table.nameWithType();
    load.committer(TidemarkProcess.writerThatLeaves(load))
        .publish(load.hours(run("b"), 1, false, 4));
    load.committer(load.finalizing(b -> b)).publish(load.hours(run("a"), 1, false, 6, 7));

    Process server = start("serve", name, "--listen", "127.0.0.1:0", "--poll", "200ms");
    try {
      String uri = await().atMost(PATIENCE).until(this::serving, found -> !found.isEmpty());
      String table = uri + "/v1/tables/" + name;
      await().atMost(PATIENCE).until(() -> get(table + "/finality", "").statusCode() == 200);
      HttpResponse<String> finality = get(table + "/finality", "");
      assertThat(json(finality).path("watermark").asText()).isEqualTo("2025-12-31T04:00:00Z");
      assertThat(json(get(table + "/finality?through=2025-12-31T03", "")).path("answer").asText())
          .isEqualTo("READY");
      assertThat(json(get(table + "/commits", "")).path("commits")).hasSize(2);
      assertThat(json(get(table + "/explain", "")).path("table").asText()).isEqualTo(name);

      HttpResponse<String> all = get(uri + "/v1/tables", "");
      String tag = all.headers().firstValue("ETag").orElseThrow();
      CompletableFuture<HttpResponse<String>> waiting =
          http.sendAsync(
              request(uri + "/v1/tables?wait=60s", tag), HttpResponse.BodyHandlers.ofString());
      assertThat(start("writers", "retire", name, "leaves").waitFor()).isZero();
      HttpResponse<String> news = waiting.get();
      assertThat(news.statusCode()).isEqualTo(200);
      assertThat(json(news).path("tables").path(0).path("watermark").asText())
          .isEqualTo("2025-12-31T06:00:00Z");
      String before = finality.headers().firstValue("ETag").orElseThrow();
      assertThat(get(table + "/finality", before).statusCode()).isEqualTo(200);
    } finally {
      server.destroy();
      server.waitFor();
    }
  }

  private String serving() throws Exception {
    Matcher matcher = SERVING.matcher(Files.readString(directory.resolve("serve.out")));
    return matcher.find() ? matcher.group(1) : "";
  }

  private HttpResponse<String> get(String uri, String tag) throws Exception {
    return http.send(request(uri, tag), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest request(String uri, String tag) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri));
    return tag.isEmpty() ? request.build() : request.header("If-None-Match", tag).build();
  }

  private static JsonNode json(HttpResponse<String> response) throws Exception {
    return MAPPER.readTree(response.body());
  }

  private Process start(String... arguments) throws Exception {
    return TidemarkProcess.start(
        directory.resolve(arguments[0] + ".out"),
        directory.resolve(arguments[0] + ".err"),
        arguments);
  }
}

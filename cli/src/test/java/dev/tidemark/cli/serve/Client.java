package dev.tidemark.cli.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

/** A client of the server, as any would be. */
final class Client {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;

  Client(URI server) {
    this.server = server;
  }

  /** What came back. */
  record Got(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    JsonNode json() {
      try {
        return MAPPER.readTree(response.body());
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }

    String text(String member) {
      return json().path(member).asText();
    }
  }

  Got get(String path, String... headers) {
    return send("GET", path, headers);
  }

  /** Whether the metrics hold a line, or the end of one. */
  boolean hasMetric(String line) {
    return get("/metrics").response().body().contains(line + "\n");
  }

  Got send(String method, String path, String... headers) {
    try {
      return new Got(
          http.send(request(method, path, headers), HttpResponse.BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  CompletableFuture<Got> later(String path, String... headers) {
    return http.sendAsync(request("GET", path, headers), HttpResponse.BodyHandlers.ofString())
        .thenApply(Got::new);
  }

  private HttpRequest request(String method, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    return headers.length == 0 ? request.build() : request.headers(headers).build();
  }
}

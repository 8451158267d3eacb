package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** Speaks JSON with a controller or a broker. Safe for several threads. */
final class PinotHttp {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  // Pinot's HTTP server lets a request that offers HTTP/2 wait for 30 s.
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  private final String url;
  private final Optional<String> authorization;

  /**
   * @param url without a slash at its end; a path in it is kept
   * @param authorization the value of the Authorization header
   */
  PinotHttp(String url, Optional<String> authorization) {
    this.url = url;
    this.authorization = authorization;
  }

  /**
   * What the server answered, whatever its status.
   *
   * @param status the HTTP status
   * @param text the body, "" without one
   */
  record Answer(int status, String text) {
    boolean isGood() {
      return status / 100 == 2;
    }
  }

  /**
   * @throws IllegalStateException if the status is none of success
   * @throws UncheckedIOException if there is no answer
   */
  JsonNode get(String path) {
    return parse(good("GET", path, answer("GET", path, BodyPublishers.noBody())));
  }

  /** Like {@link #get}. */
  JsonNode post(String path, String json) {
    return parse(good("POST", path, answer("POST", path, BodyPublishers.ofString(json))));
  }

  Answer answer(String method, String path, BodyPublisher body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .method(method, body);
    authorization.ifPresent(value -> request.header("Authorization", value));
    try {
      HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot %s %s%s".formatted(method, url, path), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(
          "Interrupted while waiting for %s %s%s".formatted(method, url, path), e);
    }
  }

  private String good(String method, String path, Answer answer) {
    if (!answer.isGood()) {
      throw new IllegalStateException(
          "Cannot %s %s%s: status %d, %s"
              .formatted(method, url, path, answer.status(), answer.text()));
    }
    return answer.text();
  }

  static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Invalid JSON from Pinot: " + text, e);
    }
  }
}

package dev.tidemark.spark.cutover;

import dev.tidemark.spark.source.Discretion;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/** HTTP with a limit on waiting. A login in an address is sent, and never repeated. */
final class HttpQuestions {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

  /** Whether a document can be read. */
  Check isThere(String name, String url) {
    String shown = Discretion.url(url);
    try {
      int status = get(url).statusCode();
      return status == 200
          ? Check.pass(name, shown)
          : Check.unknown(name, "cannot read %s: status %d".formatted(shown, status));
    } catch (IOException | IllegalArgumentException e) {
      return Check.unknown(
          name, "cannot read " + shown + ": " + Discretion.message(String.valueOf(e.getMessage())));
    }
  }

  /**
   * Asks.
   *
   * @throws IllegalArgumentException if it is no address
   */
  HttpResponse<String> get(String url) throws IOException {
    URI address = URI.create(url);
    String login = address.getUserInfo();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(login == null ? url : url.replaceFirst("//[^/]*@", "//")))
            .timeout(PATIENCE);
    if (login != null) {
      String encoded = Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
      request.header("Authorization", "Basic " + encoded);
    }
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}

package dev.tidemark.cli.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A receiver of alerts: a small real HTTP server that fails as told, then takes what comes. */
public final class Receiver implements AutoCloseable {
  /** What came. */
  public record Posted(String key, JsonNode json, int answered) {}

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpServer server;
  private final Queue<Integer> answers = new ConcurrentLinkedQueue<>();
  private final List<Posted> posted = new CopyOnWriteArrayList<>();

  private Receiver(HttpServer server) {
    this.server = server;
  }

  /** On any free port; answers so first, and 204 from then on. */
  public static Receiver start(Integer... first) {
    return startAt(0, first);
  }

  /** On this port. */
  public static Receiver startAt(int port, Integer... first) {
    try {
      HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
      Receiver receiver = new Receiver(server);
      receiver.answers.addAll(List.of(first));
      server.createContext("/alerts", receiver::take);
      server.start();
      return receiver;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(HttpExchange exchange) throws IOException {
    Integer next = answers.poll();
    int answer = next == null ? 204 : next;
    posted.add(
        new Posted(
            exchange.getRequestHeaders().getFirst("Idempotency-Key"),
            MAPPER.readTree(exchange.getRequestBody()),
            answer));
    exchange.sendResponseHeaders(answer, -1);
    exchange.close();
  }

  /** Where to post to. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + port() + "/alerts");
  }

  /** Its port, to come back at. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Everything that came, what was answered with a failure too. */
  public List<Posted> posted() {
    return posted;
  }

  /** The keys of what was taken. */
  public List<String> taken() {
    return posted.stream().filter(one -> one.answered() / 100 == 2).map(Posted::key).toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

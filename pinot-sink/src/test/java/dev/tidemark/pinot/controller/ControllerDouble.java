package dev.tidemark.pinot.controller;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A controller that answers what it was told to, in order, and remembers what it was asked. */
final class ControllerDouble implements AutoCloseable {
  private final HttpServer server;
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();

  /** An answer; a status of 0 cuts the connection. */
  private record Answer(int status, String body, Map<String, String> headers) {}

  /** What was asked. */
  record Asked(String method, String uri, Map<String, List<String>> headers, String body) {
    String header(String name) {
      List<String> values = headers.get(name);
      return values == null ? "" : values.get(0);
    }
  }

  ControllerDouble() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::serve);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  ControllerDouble then(int status, String body) {
    answers.add(new Answer(status, body, Map.of()));
    return this;
  }

  ControllerDouble thenRetryAfter(int status, String seconds) {
    answers.add(new Answer(status, "", Map.of("Retry-After", seconds)));
    return this;
  }

  ControllerDouble thenCut() {
    answers.add(new Answer(0, "", Map.of()));
    return this;
  }

  List<Asked> asked() {
    return asked;
  }

  private synchronized void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body =
          new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1);
      asked.add(
          new Asked(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              Map.copyOf(exchange.getRequestHeaders()),
              body));
      Answer answer = answers.isEmpty() ? new Answer(404, "{}", Map.of()) : answers.poll();
      if (answer.status() > 0) {
        answer.headers().forEach((name, value) -> exchange.getResponseHeaders().add(name, value));
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

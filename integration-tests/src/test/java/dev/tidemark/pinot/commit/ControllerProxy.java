package dev.tidemark.pinot.commit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Stands before a real controller, perhaps under a path prefix, and does what it is told to. */
final class ControllerProxy implements AutoCloseable {
  private static final Set<String> HOP_BY_HOP =
      Set.of("host", "connection", "content-length", "transfer-encoding", "upgrade", "date");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String target;
  private final String prefix;
  private final String scheme;
  private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private volatile @Nullable Fault always;
  private volatile Predicate<String> accepts = header -> true;

  /** What happens to one request. */
  interface Fault {
    /** Whether it is meant for this request. */
    boolean isFor(String method, String path);

    /** Deals with it; returns whether the request goes on to the controller. */
    boolean strike(HttpExchange exchange) throws IOException;
  }

  ControllerProxy(String target, String prefix) throws IOException {
    this(
        target,
        prefix,
        "http",
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
  }

  /** Over TLS, with the key and the certificate of a store. */
  static ControllerProxy withTls(String target, Path store, String password) throws Exception {
    KeyStore keys = KeyStore.getInstance(store.toFile(), password.toCharArray());
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, password.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    return new ControllerProxy(target, "", "https", server);
  }

  private ControllerProxy(String target, String prefix, String scheme, HttpServer server) {
    this.target = target;
    this.prefix = prefix;
    this.scheme = scheme;
    this.server = server;
    server.createContext("/", this::serve);
    server.setExecutor(threads);
    server.start();
  }

  String url() {
    return scheme + "://127.0.0.1:" + server.getAddress().getPort() + prefix;
  }

  /** Uploads are answered with this status, as often as it is added. */
  void answerUpload(int status) {
    faults.add(uploads(exchange -> answer(exchange, status, "told to")));
  }

  void answerUploadsForEver(int status) {
    always = uploads(exchange -> answer(exchange, status, "told to"));
  }

  /** The connection is cut, before or after the controller did what it was asked to. */
  void dropUpload() {
    faults.add(uploads(exchange -> false));
  }

  /** The controller does what it is asked to, and its answer is lost. */
  void dropAnswerOfUpload() {
    faults.add(new Lost());
  }

  void delayUpload(long millis) {
    faults.add(
        uploads(
            exchange -> {
              try {
                Thread.sleep(millis);
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              return true;
            }));
  }

  /** Whatever is asked, the connection is cut, until {@link #up}. */
  void down() {
    always =
        new Fault() {
          @Override
          public boolean isFor(String method, String path) {
            return true;
          }

          @Override
          public boolean strike(HttpExchange exchange) {
            return false;
          }
        };
  }

  void up() {
    always = null;
  }

  /** Only these headers are let through. */
  void accept(Predicate<String> headers) {
    this.accepts = headers;
  }

  List<String> authorizations() {
    return List.copyOf(authorizations);
  }

  private static final class Lost implements Fault {
    @Override
    public boolean isFor(String method, String path) {
      return method.equals("POST") && path.startsWith("/v2/segments");
    }

    @Override
    public boolean strike(HttpExchange exchange) {
      return false;
    }
  }

  private interface Strike {
    boolean at(HttpExchange exchange) throws IOException;
  }

  private static Fault uploads(Strike strike) {
    return new Fault() {
      @Override
      public boolean isFor(String method, String path) {
        return method.equals("POST") && path.startsWith("/v2/segments");
      }

      @Override
      public boolean strike(HttpExchange exchange) throws IOException {
        return strike.at(exchange);
      }
    };
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().toString();
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (!path.startsWith(prefix + "/")) {
        answer(exchange, 404, "outside of " + prefix);
        return;
      }
      String inner = path.substring(prefix.length());
      String authorization = exchange.getRequestHeaders().getFirst("Authorization");
      authorizations.add(String.valueOf(authorization));
      if (!accepts.test(String.valueOf(authorization))) {
        answer(exchange, 401, "unknown: " + authorization);
        return;
      }
      Fault fault = fault(exchange.getRequestMethod(), inner);
      if (fault instanceof Lost) {
        send(exchange, inner, body);
      } else if (fault == null || fault.strike(exchange)) {
        forward(exchange, inner, body);
      }
    }
  }

  private @Nullable Fault fault(String method, String path) {
    Fault first = faults.peek();
    if (first != null && first.isFor(method, path)) {
      return faults.poll();
    }
    Fault constant = always;
    return constant != null && constant.isFor(method, path) ? constant : null;
  }

  private void forward(HttpExchange exchange, String path, byte[] body) throws IOException {
    HttpResponse<byte[]> response = send(exchange, path, body);
    int length = response.body().length;
    exchange.sendResponseHeaders(response.statusCode(), length == 0 ? -1 : length);
    exchange.getResponseBody().write(response.body());
  }

  private HttpResponse<byte[]> send(HttpExchange exchange, String path, byte[] body)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(target + path))
            .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (!HOP_BY_HOP.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
              }
            });
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static boolean answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    return false;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

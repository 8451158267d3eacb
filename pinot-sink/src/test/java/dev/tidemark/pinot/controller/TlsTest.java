package dev.tidemark.pinot.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

/** A controller that is spoken to over TLS. */
class TlsTest {
  @TempDir Path directory;
  private @Nullable HttpsServer server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
  }

  @Test
  void certificateForTheHostIsTrusted() throws Exception {
    Path store = HttpsServers.store(directory, "right.p12", "ip:127.0.0.1");
    String url = start(store);
    assertThat(client(url, PinotTls.ofJvm().trusting(store, "PKCS12", HttpsServers.PASSWORD)).tables())
        .containsExactly("over-tls");
  }

  @Test
  void certificateForAnotherHostIsRefusedThoughItsIssuerIsTrusted() throws Exception {
    Path store = HttpsServers.store(directory, "wrong.p12", "dns:pinot.example.com");
    String url = start(store);
    assertThatThrownBy(
            () ->
                client(url, PinotTls.ofJvm().trusting(store, "PKCS12", HttpsServers.PASSWORD))
                    .tables())
        .isInstanceOf(PinotUnavailableException.class)
        .hasMessageContaining("the certificate of " + url.substring("https://".length()))
        .hasMessageContaining("not trusted")
        .hasMessageContaining("127.0.0.1");
  }

  @Test
  void certificateOfNobodyWhomTheJvmTrustsIsRefused() throws Exception {
    String url = start(HttpsServers.store(directory, "right.p12", "ip:127.0.0.1"));
    assertThatThrownBy(() -> client(url, PinotTls.ofJvm()).tables())
        .isInstanceOf(PinotUnavailableException.class)
        .hasMessageContaining("is not trusted")
        .hasMessageContaining("trust store");
  }

  private String start(Path store) throws Exception {
    HttpsServer started = HttpsServers.server(store);
    started.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"tables\": [\"over-tls\"]}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    started.start();
    server = started;
    return "https://127.0.0.1:" + started.getAddress().getPort();
  }

  private static ControllerClient client(String url, PinotTls tls) {
    return ControllerClient.of(ControllerSettings.builder(url).tls(tls).build());
  }
}

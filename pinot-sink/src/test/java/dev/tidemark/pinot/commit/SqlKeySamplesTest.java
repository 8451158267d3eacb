package dev.tidemark.pinot.commit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Against a double of controller and broker. */
class SqlKeySamplesTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final PinotTable TABLE = new PinotTable("orders", PinotTable.Type.REALTIME);
  private final List<String> asked = new CopyOnWriteArrayList<>();

  /** The text of a timestamp depends on the time zone of the server. */
  @Test
  void timestampsAreAskedForAsNumbers() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      ControllerClient client =
          ControllerClient.of(ControllerSettings.builder(url).brokerUrls(List.of(url)).build());
      TableShape shape =
          new TableShape(
              TABLE,
              MAPPER.readTree("{}"),
              MAPPER.readTree(
                  "{\"primaryKeyColumns\": [\"at\", \"id\"], \"dimensionFieldSpecs\":"
                      + " [{\"name\": \"at\", \"dataType\": \"TIMESTAMP\"},"
                      + " {\"name\": \"id\", \"dataType\": \"STRING\"}]}"));
      assertThat(new SqlKeySamples().sample(shape, client, 10))
          .isEqualTo(Map.of(0, List.of(List.of(1_767_225_600_000L, "a"))));
      assertThat(asked).anyMatch(body -> body.contains("CAST(\\\"at\\\" AS LONG), \\\"id\\\""));
    } finally {
      server.stop(0);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      String body =
          exchange.getRequestURI().getPath().contains("idealstate")
              ? "{\"REALTIME\": {\"orders__0__0__20260101T0000Z\": {\"s\": \"ONLINE\"}}}"
              : "{\"resultTable\": {\"dataSchema\": {\"columnNames\": [\"at\", \"id\"],"
                  + " \"columnDataTypes\": [\"LONG\", \"STRING\"]},"
                  + " \"rows\": [[1767225600000, \"a\"]]}}";
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}

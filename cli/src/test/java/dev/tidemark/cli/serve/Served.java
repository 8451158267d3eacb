package dev.tidemark.cli.serve;

import dev.tidemark.cli.alert.Alerts;
import dev.tidemark.cli.store.CatalogSettings;
import dev.tidemark.cli.store.TableAddress;
import dev.tidemark.cli.testing.Patience;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A running server over the HadoopCatalog {@code lake} in a directory, on a port of its own. */
final class Served implements AutoCloseable {
  private final FinalityServer server;
  private final Client client;

  private Served(FinalityServer server) {
    this.server = server;
    this.client = new Client(server.uri());
  }

  /** The options of most tests: any free port, quick polls, a few waiting clients. */
  static ServeOptions options(@Nullable Token token, int maxWaiting) {
    return new ServeOptions(
        new InetSocketAddress("127.0.0.1", 0), Duration.ofMillis(50), maxWaiting, token);
  }

  static Served of(Path directory, String... tables) {
    return of(directory, options(null, 100), Alerts.none(), tables);
  }

  static Served of(Path directory, ServeOptions options, Alerts alerts, String... tables) {
    CatalogSettings settings =
        CatalogSettings.read(
            null,
            Map.of("lake.type", "hadoop", "lake.warehouse", directory.toUri().toString()),
            name -> null);
    List<TableAddress> addresses = Arrays.stream(tables).map(TableAddress::parse).toList();
    FinalityServer server =
        new FinalityServer(settings, addresses, options, alerts, Clock.systemUTC());
    server.start();
    return new Served(server);
  }

  /** A server of scripted tables. */
  static Served of(Clock clock, @Nullable Token token, ScriptedTable... tables) {
    FinalityServer server =
        new FinalityServer(List.of(tables), options(token, 100), Alerts.none(), clock);
    server.start();
    return new Served(server);
  }

  /** Waits until every table was polled. */
  Served polled(String... headers) {
    Patience.await()
        .until(
            () -> {
              boolean all = true;
              for (var table : client.get("/v1/tables", headers).json().get("tables")) {
                all &= table.get("reachable").asBoolean() || table.has("failure");
              }
              return all;
            });
    return this;
  }

  FinalityServer server() {
    return server;
  }

  Client client() {
    return client;
  }

  @Override
  public void close() {
    server.close();
  }
}

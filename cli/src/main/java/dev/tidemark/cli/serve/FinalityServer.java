package dev.tidemark.cli.serve;

import dev.tidemark.cli.alert.Alerts;
import dev.tidemark.cli.store.CatalogSettings;
import dev.tidemark.cli.store.TableAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The server: pollers, waiting clients and Jetty put together. Started once, closed once. */
public final class FinalityServer implements AutoCloseable {
  private static final int THREADS = 16;

  /** A poll that hangs tells nobody: who waits learns of it by this. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private static final int OTHER_CONNECTIONS = 200;
  private static final Duration IDLE = Query.MAX_WAIT.plusSeconds(30);
  private static final Duration IDLE_AT_STOP = Duration.ofMillis(100);
  private static final Duration STOP = Duration.ofSeconds(5);

  private final List<TablePoller> pollers = new ArrayList<>();
  private final Waiting waiting;
  private final Alerts alerts;
  private final Server server;
  private final ServerConnector connector;
  private final ServeOptions options;

  /**
   * A server that has not started.
   *
   * @param tables what to serve
   * @param alerts told of every poll; closed with the server
   * @throws IllegalArgumentException if a table names a catalog that is not configured
   */
  public FinalityServer(
      CatalogSettings settings,
      List<TableAddress> tables,
      ServeOptions options,
      Alerts alerts,
      Clock clock) {
    this(sources(settings, tables, clock), options, alerts, clock);
  }

  /** A server of tables that come from elsewhere. */
  FinalityServer(
      List<? extends TableSource> sources, ServeOptions options, Alerts alerts, Clock clock) {
    this.options = options;
    this.alerts = alerts;
    this.waiting = new Waiting(options.maxWaiting());
    for (TableSource source : sources) {
      pollers.add(new TablePoller(source, options.pollInterval(), clock, this::polled));
    }
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
    threads.setName("http");
    this.server = new Server(threads);
    this.connector = connector(server, options);
    Api api = new Api(new Tables(pollers, clock), waiting::size, alerts::counts);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(options.maxWaiting() + OTHER_CONNECTIONS, connector));
    server.setHandler(
        new HttpHandler(api, new Guard(options.token(), options.listen()), new Assets(), waiting));
    server.setErrorHandler(new ProblemErrors());
    server.setStopTimeout(STOP.toMillis());
  }

  private static List<TableSource> sources(
      CatalogSettings settings, List<TableAddress> tables, Clock clock) {
    List<TableSource> sources = new ArrayList<>();
    for (TableAddress table : tables) {
      settings.of(table.catalog());
      sources.add(new CatalogSource(settings, table, clock));
    }
    return sources;
  }

  private static ServerConnector connector(Server server, ServeOptions options) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(options.listen().getAddress().getHostAddress());
    connector.setPort(options.listen().getPort());
    connector.setIdleTimeout(IDLE.toMillis());
    connector.setShutdownIdleTimeout(IDLE_AT_STOP.toMillis());
    return connector;
  }

  /**
   * Starts to poll and to answer.
   *
   * @throws IllegalArgumentException if the address is taken or not of this machine
   */
  public void start() {
    try {
      server.start();
    } catch (Exception e) {
      close();
      throw new IllegalArgumentException(
          "Cannot listen on "
              + options.listen()
              + ": "
              + e.getMessage()
              + " (expected: a free port of this machine). Choose another with --listen.",
          e);
    }
    pollers.forEach(TablePoller::start);
    waiting.lookEvery(LOOK);
  }

  /** Where the page is. */
  public URI uri() {
    String host = options.listen().getAddress().getHostAddress();
    return URI.create(
        "http://"
            + (host.contains(":") ? "[" + host + "]" : host)
            + ":"
            + connector.getLocalPort());
  }

  /** Waits for the server to be closed by another thread. */
  public void join() throws InterruptedException {
    server.join();
  }

  private void polled(Observation observation) {
    waiting.look();
    TableView view = observation.view();
    if (view != null && observation.failure() == null) {
      alerts.observe(view.table(), view.finality(), view.timeline().watermarkSince());
    }
  }

  /** Answers who waits, stops to listen, and gives the webhook a moment for what it has to say. */
  @Override
  public void close() {
    pollers.forEach(TablePoller::close);
    waiting.close();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("Cannot stop the server", e);
    } finally {
      alerts.close();
    }
  }
}

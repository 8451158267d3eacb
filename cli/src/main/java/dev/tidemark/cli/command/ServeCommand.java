package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.alert.AlertOptions;
import dev.tidemark.cli.alert.Alerts;
import dev.tidemark.cli.serve.FinalityServer;
import dev.tidemark.cli.serve.ServeOptions;
import dev.tidemark.cli.serve.Token;
import dev.tidemark.cli.store.CatalogSettings;
import dev.tidemark.cli.store.Stores;
import dev.tidemark.cli.store.TableAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Finality over HTTP, one page, and alerts, until it is stopped. */
@Command(
    name = "serve",
    description = "Answers over HTTP, shows one page, and raises alerts; read-only.")
public final class ServeCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final TableOptions tables = new TableOptions();

  @Parameters(
      paramLabel = "TABLE",
      arity = "0..*",
      description =
          "CATALOG.TABLE; by default every table of the configured catalogs that carries"
              + " finalization metadata now.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where to listen; 127.0.0.1:8740 by default, port 0 for any.")
  private @Nullable String listen;

  @Option(
      names = "--poll",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How often each table is read; 5s by default.")
  private Duration poll = ServeOptions.DEFAULT.pollInterval();

  @Option(
      names = "--max-waiting",
      description = "How many clients may wait at a time; 1000 by default.")
  private int maxWaiting = ServeOptions.DEFAULT.maxWaiting();

  @Option(
      names = "--token",
      description =
          "Bearer token that clients must bring; other users of this machine may see it:"
              + " --token-file is better.")
  private @Nullable String token;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File whose first line is the token.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--alert-log",
      description = "Write alerts to standard error: late data, stalls, rollbacks.")
  private boolean alertLog;

  @Option(
      names = "--alert-webhook",
      paramLabel = "URL",
      description = "Post alerts there too, as JSON.")
  private @Nullable URI alertWebhook;

  @Option(
      names = {"--alert-stall-after", "--stall-after"},
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long a watermark may stand; by default two granules of the table.")
  private @Nullable Duration stallAfter;

  @Override
  public Integer call() throws InterruptedException {
    CatalogSettings settings = tables.settings();
    List<TableAddress> addresses =
        names.isEmpty()
            ? all(settings)
            : names.stream().map(TableAddress::parse).distinct().toList();
    ServeOptions options =
        new ServeOptions(
            listen == null ? ServeOptions.DEFAULT.listen() : ServeOptions.parseListen(listen),
            poll,
            maxWaiting,
            token());
    try (FinalityServer server =
        new FinalityServer(settings, addresses, options, alerts(), Clock.systemUTC())) {
      server.start();
      Output.of(spec).line("Serving " + addresses + " at " + server.uri());
      if (options.token() == null && !options.listen().getAddress().isLoopbackAddress()) {
        complain("Anybody who reaches " + options.listen() + " may read this: no token is set.");
      }
      Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
      server.join();
    }
    return ExitCode.READY.status();
  }

  /** One table that is gone meanwhile, or cannot be read, keeps no other from being served. */
  private List<TableAddress> all(CatalogSettings settings) {
    try (Stores stores = new Stores(settings, Clock.systemUTC())) {
      List<TableAddress> found = new ArrayList<>();
      for (TableAddress address : stores.tables()) {
        try {
          if (stores.table(address).finality().opinion() != null) {
            found.add(address);
          }
        } catch (RuntimeException e) {
          complain("Left out " + address + ", name it to have it served: " + e.getMessage());
        }
      }
      if (found.isEmpty()) {
        throw new IllegalArgumentException(
            "Cannot find any table with finalization metadata in "
                + settings
                + " (expected: at least one). Name the tables that will have some.");
      }
      return found;
    }
  }

  private @Nullable Token token() {
    if (token != null && tokenFile != null) {
      throw new IllegalArgumentException(
          "Cannot use --token and --token-file together (expected: one of them)");
    }
    if (tokenFile != null) {
      return Token.read(tokenFile);
    }
    return token == null ? null : Token.of(token);
  }

  private Alerts alerts() {
    if (!alertLog && alertWebhook == null && stallAfter == null) {
      return Alerts.none();
    }
    AlertOptions defaults = AlertOptions.DEFAULT;
    return Alerts.of(
        new AlertOptions(stallAfter, alertWebhook, defaults.firstPause(), defaults.capacity()),
        Clock.systemUTC(),
        this::complain);
  }

  private void complain(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}

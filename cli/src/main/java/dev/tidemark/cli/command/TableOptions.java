package dev.tidemark.cli.command;

import dev.tidemark.cli.store.CatalogSettings;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.cli.store.Stores;
import dev.tidemark.cli.store.TableAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where catalogs come from; the same for all commands. */
final class TableOptions {
  private static final Path DEFAULT_FILE = Path.of("tidemark.properties");
  private static final String FILE_VARIABLE = "TIDEMARK_CONFIG";

  @Option(
      names = {"-c", "--catalog"},
      paramLabel = "NAME.KEY=VALUE",
      description =
          "A property of a catalog: lake.type=jdbc, lake.uri=…, or metrics.type=pinot,"
              + " metrics.controller=http://…; wins over the file.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "Properties catalog.NAME.KEY=VALUE; by default $TIDEMARK_CONFIG, else"
              + " ./tidemark.properties if it is there.")
  private @Nullable Path file;

  @Option(names = "--json", description = "Print JSON, one document.")
  private boolean json;

  /** Whether to print JSON. */
  boolean isJson() {
    return json;
  }

  /** The configured catalogs. */
  CatalogSettings settings() {
    return CatalogSettings.read(configFile(), properties, System::getenv);
  }

  /** Opens a table for as long as the action runs. */
  <T> T with(String table, Clock clock, Function<FinalityTable, T> action) {
    TableAddress address = TableAddress.parse(table);
    try (Stores stores = new Stores(settings(), clock)) {
      return action.apply(stores.table(address));
    }
  }

  private @Nullable Path configFile() {
    if (file != null) {
      return file;
    }
    String named = System.getenv(FILE_VARIABLE);
    if (named != null) {
      return Path.of(named);
    }
    return Files.exists(DEFAULT_FILE) ? DEFAULT_FILE : null;
  }
}

package dev.tidemark.cli.testing;

import dev.tidemark.iceberg.TestCatalog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A real catalog in a directory, which the command line knows as {@code lake}.
 *
 * @param catalog as a writer sees it
 * @param settings as the command line is told of it
 */
public record Lake(TestCatalog catalog, List<String> settings) {
  /** A HadoopCatalog. */
  public static Lake hadoop(Path directory) {
    return new Lake(
        TestCatalog.hadoop(directory),
        List.of("-clake.type=hadoop", "-clake.warehouse=" + directory.toUri()));
  }

  /** A JdbcCatalog on SQLite. */
  public static Lake jdbc(Path directory) {
    return new Lake(
        TestCatalog.jdbc(directory),
        List.of(
            "-clake.type=jdbc",
            "-clake.catalog-name=test",
            "-clake.uri=jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000",
            "-clake.warehouse=" + directory.resolve("warehouse"),
            "-clake.jdbc.schema-version=V1"));
  }

  /** Runs a command. */
  public Cli run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(settings);
    return Cli.run(all);
  }
}

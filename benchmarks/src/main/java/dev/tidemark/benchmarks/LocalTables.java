package dev.tidemark.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** Real tables of a JdbcCatalog on SQLite in a temporary directory, which closing removes. */
final class LocalTables implements AutoCloseable {
  private static final Namespace NAMESPACE = Namespace.of("db");

  private final Path directory;
  private final Map<String, String> properties;
  private final JdbcCatalog catalog = new JdbcCatalog();

  private LocalTables(Path directory) {
    this.directory = directory;
    this.properties =
        Map.of(
            CatalogProperties.URI,
            "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000",
            CatalogProperties.WAREHOUSE_LOCATION,
            directory.resolve("warehouse").toString(),
            CatalogProperties.FILE_IO_IMPL,
            "org.apache.iceberg.hadoop.HadoopFileIO",
            "jdbc.schema-version",
            "V1");
    catalog.setConf(new Configuration());
    catalog.initialize("local", properties);
    catalog.createNamespace(NAMESPACE, Map.of());
  }

  /** An empty catalog. */
  static LocalTables create() throws IOException {
    return new LocalTables(Files.createTempDirectory("tidemark-benchmark"));
  }

  /** Creates an unpartitioned table. */
  Table create(String name, Schema schema, Map<String, String> tableProperties) {
    return catalog.createTable(
        identifier(name), schema, PartitionSpec.unpartitioned(), tableProperties);
  }

  /** What a job loads a table with. */
  TableLoader loader(String name) {
    return TableLoader.fromCatalog(
        CatalogLoader.custom("local", properties, new Configuration(), JdbcCatalog.class.getName()),
        identifier(name));
  }

  @Override
  public void close() throws IOException {
    catalog.close();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static TableIdentifier identifier(String name) {
    return TableIdentifier.of(NAMESPACE, name);
  }
}

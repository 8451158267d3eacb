package dev.tidemark.iceberg;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
import org.apache.iceberg.types.Types;

/** A real JdbcCatalog on SQLite in a directory, with handles that are independent of each other. */
public final class EmbeddedCatalog {
  /** A table of events: id, event time, a value. */
  public static final Schema EVENTS =
      new Schema(
          Types.NestedField.optional(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "event_time", Types.TimestampType.withZone()),
          Types.NestedField.optional(3, "amount", Types.IntegerType.get()));

  private static final Namespace NAMESPACE = Namespace.of("db");

  private final Map<String, String> properties;

  private EmbeddedCatalog(Map<String, String> properties) {
    this.properties = properties;
  }

  /** A catalog in a directory. */
  public static EmbeddedCatalog in(Path directory) throws IOException {
    Files.createDirectories(directory);
    EmbeddedCatalog catalog =
        new EmbeddedCatalog(
            Map.of(
                CatalogProperties.URI,
                "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000",
                CatalogProperties.WAREHOUSE_LOCATION,
                directory.resolve("warehouse").toString(),
                CatalogProperties.FILE_IO_IMPL,
                "org.apache.iceberg.hadoop.HadoopFileIO",
                "jdbc.schema-version",
                "V1"));
    catalog.open().createNamespace(NAMESPACE, Map.of());
    return catalog;
  }

  /** A handle of its own on a new table of events. */
  public Table create(String name, Map<String, String> tableProperties) {
    return create(name, EVENTS, PartitionSpec.unpartitioned(), tableProperties);
  }

  /** A handle of its own on a new table. */
  public Table create(
      String name, Schema schema, PartitionSpec spec, Map<String, String> tableProperties) {
    return open().createTable(identifier(name), schema, spec, null, tableProperties);
  }

  /** A handle of its own on a table, as another process would have it. */
  public Table load(String name) {
    return open().loadTable(identifier(name));
  }

  /** What a Flink job loads the table with. */
  public TableLoader loader(String name) {
    return TableLoader.fromCatalog(
        CatalogLoader.custom("test", properties, new Configuration(), JdbcCatalog.class.getName()),
        identifier(name));
  }

  /** The catalog's properties. */
  public Map<String, String> properties() {
    return properties;
  }

  /** The identifier of a table. */
  public static TableIdentifier identifier(String name) {
    return TableIdentifier.of(NAMESPACE, name);
  }

  private JdbcCatalog open() {
    JdbcCatalog catalog = new JdbcCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize("test", properties);
    return catalog;
  }
}

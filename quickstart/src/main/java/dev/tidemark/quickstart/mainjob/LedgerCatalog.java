package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pipeline.ledger.LedgerSchema;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** An Iceberg JdbcCatalog on SQLite in a directory. */
final class LedgerCatalog implements AutoCloseable {
  private static final Namespace NAMESPACE = Namespace.of("air");
  private static final TableIdentifier LEDGER = TableIdentifier.of(NAMESPACE, "flights_ledger");
  private static final int BUCKETS = 2;

  private final Map<String, String> properties;
  private final JdbcCatalog catalog;

  LedgerCatalog(Path directory) {
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
    this.catalog = new JdbcCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize("quickstart", properties);
  }

  /** Creates the ledger, partitioned by the hour of the event time and a bucket of the key. */
  Table createLedger(LedgerSchema schema) {
    catalog.createNamespace(NAMESPACE, Map.of());
    return catalog.createTable(LEDGER, schema.schema(), schema.partitionSpec(BUCKETS));
  }

  /** What the job loads the ledger with. */
  TableLoader loader() {
    return TableLoader.fromCatalog(
        CatalogLoader.custom(
            "quickstart", properties, new Configuration(), JdbcCatalog.class.getName()),
        LEDGER);
  }

  @Override
  public void close() {
    catalog.close();
  }
}

package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.factories.Factory;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.FlinkCatalog;
import org.apache.iceberg.flink.FlinkCatalogFactory;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.util.PropertyUtil;

/** The stock catalog, whose tables are written by our sink. */
final class TidemarkCatalog extends FlinkCatalog {
  private final Namespace baseNamespace;
  private final CatalogLoader loader;

  TidemarkCatalog(String name, Map<String, String> properties, CatalogLoader loader) {
    super(
        name,
        properties.getOrDefault(
            FlinkCatalogFactory.DEFAULT_DATABASE, FlinkCatalogFactory.DEFAULT_DATABASE_NAME),
        baseNamespace(properties),
        loader,
        properties,
        PropertyUtil.propertyAsBoolean(
            properties, CatalogProperties.CACHE_ENABLED, CatalogProperties.CACHE_ENABLED_DEFAULT),
        PropertyUtil.propertyAsLong(
            properties,
            CatalogProperties.CACHE_EXPIRATION_INTERVAL_MS,
            CatalogProperties.CACHE_EXPIRATION_INTERVAL_MS_OFF));
    this.baseNamespace = baseNamespace(properties);
    this.loader = loader;
  }

  @Override
  public Optional<Factory> getFactory() {
    return Optional.of(new TidemarkTableFactory(this));
  }

  /**
   * A new table has no opinion, also one that is created LIKE a table that has: its mirror, and the
   * field that its event time is bound to, stay behind. Options of the sink are copied.
   */
  @Override
  public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
      throws TableAlreadyExistException {
    Map<String, String> options = new HashMap<>(table.getOptions());
    options.keySet().removeIf(key -> key.startsWith(FinalizationProperties.PREFIX));
    CatalogBaseTable unclaimed =
        table instanceof ResolvedCatalogTable resolved ? resolved.copy(options) : table;
    super.createTable(path, unclaimed, ignoreIfExists);
  }

  /** Loads a table here or in the cluster. */
  TableLoader tableLoader(ObjectPath path) {
    String[] levels =
        Stream.concat(Stream.of(baseNamespace.levels()), Stream.of(path.getDatabaseName()))
            .toArray(String[]::new);
    return TableLoader.fromCatalog(
        loader, TableIdentifier.of(Namespace.of(levels), path.getObjectName()));
  }

  private static Namespace baseNamespace(Map<String, String> properties) {
    String base = properties.get(FlinkCatalogFactory.BASE_NAMESPACE);
    return base == null ? Namespace.empty() : Namespace.of(base.split("\\.", -1));
  }
}

package dev.tidemark.iceberg.flink.sql;

import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.FlinkCatalogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the catalogs of {@code CREATE CATALOG c WITH ('type' = 'tidemark', …)}. All properties are
 * those of the stock {@code iceberg} catalog: {@code catalog-type} ({@code hive}, the default,
 * {@code hadoop} or {@code rest}) or {@code catalog-impl} (a class), {@code uri}, {@code
 * warehouse}, {@code default-database}, {@code base-namespace}, {@code cache-enabled}, … Tables are
 * created, altered and read as by the stock catalog; rows are written by {@link
 * dev.tidemark.iceberg.flink.TidemarkIcebergSink}, configured by {@link TidemarkSinkOptions}.
 *
 * <p>A table of this catalog that says nothing of finalization is written by the stock sink (V2,
 * whatever {@code table.exec.iceberg.use-v2-sink} says).
 */
public final class TidemarkCatalogFactory extends FlinkCatalogFactory {
  /** The catalog's {@code type}. */
  public static final String IDENTIFIER = "tidemark";

  /** For Flink, which finds factories as services. */
  public TidemarkCatalogFactory() {}

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  protected Catalog createCatalog(
      String name, Map<String, String> properties, Configuration hadoopConf) {
    return new TidemarkCatalog(name, properties, loader(name, properties, hadoopConf));
  }

  /** The stock factory's choice of a loader, which it does not let others call. */
  private static CatalogLoader loader(
      String name, Map<String, String> properties, Configuration hadoopConf) {
    String impl = properties.get(CatalogProperties.CATALOG_IMPL);
    String type = properties.get(ICEBERG_CATALOG_TYPE);
    if (impl != null && type != null) {
      throw new ValidationException(
          "Cannot create catalog %s: both catalog-impl=%s and catalog-type=%s (expected: one of them)"
              .formatted(name, impl, type));
    }
    if (impl != null) {
      return CatalogLoader.custom(name, properties, hadoopConf, impl);
    }
    return switch (type == null ? ICEBERG_CATALOG_TYPE_HIVE : type.toLowerCase(Locale.ROOT)) {
      case ICEBERG_CATALOG_TYPE_HIVE ->
          CatalogLoader.hive(name, hiveConf(hadoopConf, properties), properties);
      case ICEBERG_CATALOG_TYPE_HADOOP -> CatalogLoader.hadoop(name, hadoopConf, properties);
      case ICEBERG_CATALOG_TYPE_REST -> CatalogLoader.rest(name, hadoopConf, properties);
      default ->
          throw new ValidationException(
              "Cannot create catalog %s: catalog-type=%s (expected: hive, hadoop or rest; name any other catalog by its class, as catalog-impl)"
                  .formatted(name, type));
    };
  }

  private static Configuration hiveConf(Configuration hadoopConf, Map<String, String> properties) {
    Configuration conf = new Configuration(hadoopConf);
    String hiveDirectory = properties.get(HIVE_CONF_DIR);
    URL onClasspath = CatalogLoader.class.getClassLoader().getResource("hive-site.xml");
    if (hiveDirectory == null && onClasspath != null) {
      conf.addResource(onClasspath);
    }
    addFile(conf, hiveDirectory, "hive-site.xml");
    addFile(conf, properties.get(HADOOP_CONF_DIR), "hdfs-site.xml");
    addFile(conf, properties.get(HADOOP_CONF_DIR), "core-site.xml");
    return conf;
  }

  private static void addFile(Configuration conf, @Nullable String directory, String file) {
    if (directory == null) {
      return;
    }
    if (!Files.exists(Paths.get(directory, file))) {
      throw new ValidationException(
          "Missing %s in %s, which hive-conf-dir or hadoop-conf-dir names"
              .formatted(file, directory));
    }
    conf.addResource(new Path(directory, file));
  }
}

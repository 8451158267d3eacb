package dev.tidemark.pinot.flink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.ingestion.BatchIngestionConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.ingestion.batch.BatchConfigProperties;

/**
 * Fetches what a sink needs to know of a table, by the names that the connector that Pinot ships
 * has for it.
 */
public final class PinotConnectionUtils {
  private PinotConnectionUtils() {}

  /** The schema of a table. */
  public static Schema getSchema(ControllerRequestClient client, String tableName) {
    try {
      return client.getSchema(tableName);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the schema of table " + tableName, e);
    }
  }

  /**
   * The config of a table, with the controller's address in its one batch configuration unless it
   * names another itself. The table's own batch configuration is kept.
   *
   * @param tableType {@code OFFLINE} or {@code REALTIME}
   */
  public static TableConfig getTableConfig(
      ControllerRequestClient client, String tableName, String tableType) {
    TableType type = TableType.valueOf(tableType.toUpperCase(Locale.ROOT));
    try {
      TableConfig config = client.getTableConfig(tableName, type);
      addController(config, client.url());
      return config;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot read the config of table " + tableName + "_" + type, e);
    }
  }

  private static void addController(TableConfig config, String url) {
    IngestionConfig ingestion = config.getIngestionConfig();
    if (ingestion == null) {
      ingestion = new IngestionConfig();
      config.setIngestionConfig(ingestion);
    }
    BatchIngestionConfig batch = ingestion.getBatchIngestionConfig();
    if (batch == null) {
      batch = new BatchIngestionConfig(null, "APPEND", "HOURLY");
      ingestion.setBatchIngestionConfig(batch);
    }
    List<Map<String, String>> maps = batch.getBatchConfigMaps();
    Map<String, String> map =
        new HashMap<>(maps == null || maps.isEmpty() ? Map.of() : maps.get(0));
    map.putIfAbsent(BatchConfigProperties.PUSH_CONTROLLER_URI, url);
    if (maps == null || maps.size() <= 1) {
      batch.setBatchConfigMaps(List.of(map));
    }
  }
}

package dev.tidemark.quickstart.pinot;

import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.config.table.RoutingConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.UpsertConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.config.table.ingestion.StreamIngestionConfig;
import org.apache.pinot.spi.data.DimensionFieldSpec;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/** REALTIME tables with full upsert. */
public final class UpsertTables {
  private UpsertTables() {}

  /**
   * What columns are for.
   *
   * @param time the time column
   * @param comparison decides which row of a key is the newest
   * @param deleted true in a row that deletes its key
   */
  public record Columns(String time, String comparison, String deleted) {}

  /** The config of a table that consumes a stream. */
  public static TableConfig config(String table, Columns columns, Map<String, String> stream) {
    UpsertConfig upsert = new UpsertConfig(UpsertConfig.Mode.FULL);
    upsert.setComparisonColumns(List.of(columns.comparison()));
    upsert.setDeleteRecordColumn(columns.deleted());
    IngestionConfig ingestion = new IngestionConfig();
    ingestion.setStreamIngestionConfig(new StreamIngestionConfig(List.of(stream)));
    return new TableConfigBuilder(TableType.REALTIME)
        .setTableName(table)
        .setTimeColumnName(columns.time())
        .setUpsertConfig(upsert)
        .setRoutingConfig(
            new RoutingConfig(
                null, null, RoutingConfig.STRICT_REPLICA_GROUP_INSTANCE_SELECTOR_TYPE, false))
        .setIngestionConfig(ingestion)
        .build();
  }

  /** A column with one value. */
  public static FieldSpec dimension(String name, FieldSpec.DataType type) {
    return new DimensionFieldSpec(name, type, true);
  }
}

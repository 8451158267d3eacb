package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.PinotTable;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.UpsertConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.JsonUtils;
import org.apache.pinot.spi.utils.TimestampIndexUtils;
import org.jspecify.annotations.Nullable;

/**
 * A table as segments are built for it: its configuration and its schema, checked. Immutable; holds
 * both as JSON, so that neither what it was made of nor what it hands out is shared.
 */
public final class SegmentTable implements Serializable {
  private static final long serialVersionUID = 1L;

  private final PinotTable table;
  private final String configJson;
  private final String schemaJson;

  private SegmentTable(PinotTable table, String configJson, String schemaJson) {
    this.table = table;
    this.configJson = configJson;
    this.schemaJson = schemaJson;
  }

  /**
   * A table of this configuration and schema, neither of which is changed.
   *
   * @throws IllegalArgumentException if segments for it cannot be built, with the reason
   */
  public static SegmentTable of(TableConfig config, Schema schema) {
    SegmentTable table =
        new SegmentTable(
            PinotTable.parse(config.getTableName()),
            config.toJsonString(),
            schema.toSingleLineJsonString());
    Prepared prepared = table.prepare();
    prepared.schema().getAllFieldSpecs().forEach(table::checkColumn);
    table.checkTimeColumn(prepared.schema());
    table.checkIngestion(config.getIngestionConfig());
    new RowPreparation(prepared);
    return table;
  }

  /** The table's name and type. */
  public PinotTable table() {
    return table;
  }

  /** The table's configuration, in a copy. */
  public TableConfig tableConfig() {
    try {
      return JsonUtils.stringToObject(configJson, TableConfig.class);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot read the configuration of table " + table, e);
    }
  }

  /** The table's schema, in a copy. */
  public Schema schema() {
    try {
      return Schema.fromString(schemaJson);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot read the schema of table " + table, e);
    }
  }

  /** The time column; null if the table has none. */
  public @Nullable String timeColumn() {
    return timeColumn(tableConfig());
  }

  /** The columns of the primary key in the schema's order; empty without one. */
  public List<String> primaryKeyColumns() {
    List<String> columns = schema().getPrimaryKeyColumns();
    return columns == null ? List.of() : List.copyOf(columns);
  }

  /**
   * The columns that decide which row of a key is the newest: those of the upsert configuration,
   * else the time column. Empty on a table without upsert.
   */
  public List<String> comparisonColumns() {
    TableConfig config = tableConfig();
    if (!config.isUpsertEnabled()) {
      return List.of();
    }
    List<String> columns = upsert(config).map(UpsertConfig::getComparisonColumns).orElse(null);
    if (columns != null && !columns.isEmpty()) {
      return List.copyOf(columns);
    }
    String time = timeColumn(config);
    return time == null ? List.of() : List.of(time);
  }

  /** The column that marks a row as a deletion of its key; null if the table has none. */
  public @Nullable String deleteRecordColumn() {
    TableConfig config = tableConfig();
    return config.isUpsertEnabled()
        ? upsert(config).map(UpsertConfig::getDeleteRecordColumn).orElse(null)
        : null;
  }

  /** An empty buffer of one future segment. */
  public SegmentRows newRows() {
    return new SegmentRows(this);
  }

  /** Copies with the columns that Pinot derives for timestamp indexes. */
  Prepared prepare() {
    TableConfig config = tableConfig();
    Schema schema = schema();
    TimestampIndexUtils.applyTimestampIndex(config, schema);
    return new Prepared(config, schema, timeColumn(config));
  }

  /** What rows are prepared by and segments built by; changed by nobody. */
  record Prepared(TableConfig config, Schema schema, @Nullable String timeColumn) {}

  private static @Nullable String timeColumn(TableConfig config) {
    String column = config.getValidationConfig().getTimeColumnName();
    return column == null || column.isEmpty() ? null : column;
  }

  private static Optional<UpsertConfig> upsert(TableConfig config) {
    return Optional.ofNullable(config.getUpsertConfig());
  }

  private void checkColumn(FieldSpec spec) {
    switch (spec.getDataType()) {
      case INT, LONG, FLOAT, DOUBLE, BOOLEAN, TIMESTAMP, STRING, BYTES -> {}
      case BIG_DECIMAL, JSON, MAP -> {
        if (!spec.isSingleValueField()) {
          throw refused(
              "column \"%s\" holds several values of type %s (expected: one; Pinot has no such multi-value type)"
                  .formatted(spec.getName(), spec.getDataType()));
        }
      }
      default ->
          throw refused(
              "column \"%s\" is of type %s (expected: a type that Pinot stores in segments)"
                  .formatted(spec.getName(), spec.getDataType()));
    }
  }

  private void checkTimeColumn(Schema schema) {
    String column = timeColumn();
    if (column != null && schema.getSpecForTimeColumn(column) == null) {
      throw refused(
          "time column \"%s\" is no date-time column of its schema (expected: one of %s)"
              .formatted(column, schema.getDateTimeNames()));
    }
  }

  private void checkIngestion(@Nullable IngestionConfig ingestion) {
    if (ingestion == null) {
      return;
    }
    if (ingestion.getAggregationConfigs() != null && !ingestion.getAggregationConfigs().isEmpty()) {
      throw refused(
          "it aggregates rows while it consumes, which uploaded segments are not; remove"
              + " aggregationConfigs, or load what was aggregated before");
    }
    batchConfig(ingestion);
  }

  /** The one batch configuration of the table, not to be changed; empty if it has none. */
  Map<String, String> batchConfig() {
    IngestionConfig ingestion = tableConfig().getIngestionConfig();
    return ingestion == null ? Map.of() : batchConfig(ingestion);
  }

  private Map<String, String> batchConfig(IngestionConfig ingestion) {
    if (ingestion.getBatchIngestionConfig() == null) {
      return Map.of();
    }
    List<Map<String, String>> maps = ingestion.getBatchIngestionConfig().getBatchConfigMaps();
    if (maps == null || maps.isEmpty()) {
      return Map.of();
    }
    if (maps.size() > 1) {
      throw refused("it has " + maps.size() + " batchConfigMaps (expected: at most one)");
    }
    return Map.copyOf(maps.get(0));
  }

  private IllegalArgumentException refused(String reason) {
    return new IllegalArgumentException("Cannot build segments of table " + table + ": " + reason);
  }
}

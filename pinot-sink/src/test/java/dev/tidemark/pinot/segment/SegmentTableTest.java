package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.UpsertConfig;
import org.apache.pinot.spi.config.table.ingestion.AggregationConfig;
import org.apache.pinot.spi.config.table.ingestion.BatchIngestionConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.DimensionFieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.junit.jupiter.api.Test;

class SegmentTableTest {

  @Test
  void saysWhatAnUpsertTableRestsOn() {
    UpsertConfig upsert = new UpsertConfig(UpsertConfig.Mode.FULL);
    upsert.setDeleteRecordColumn("deleted");
    SegmentTable table = SegmentTable.of(upsertConfig(upsert), upsertSchema());

    assertThat(table.table().nameWithType()).isEqualTo("u_REALTIME");
    assertThat(table.primaryKeyColumns()).containsExactly("id");
    assertThat(table.timeColumn()).isEqualTo("ts");
    assertThat(table.comparisonColumns()).containsExactly("ts");
    assertThat(table.deleteRecordColumn()).isEqualTo("deleted");
    upsert.setComparisonColumns(List.of("version"));
    assertThat(SegmentTable.of(upsertConfig(upsert), upsertSchema()).comparisonColumns())
        .containsExactly("version");
  }

  @Test
  void survivesSerializationAndSharesNothing() throws Exception {
    SegmentTable table = Tables.everyTypeTable();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(table);
    SegmentTable read =
        (SegmentTable)
            new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();

    assertThat(read.schema()).isEqualTo(table.schema());
    assertThat(read.tableConfig()).isEqualTo(table.tableConfig());
    read.schema().removeField("i");
    assertThat(read.schema().hasColumn("i")).isTrue();
  }

  @Test
  void refusesWhatSegmentsCannotHoldWithTheReason() {
    Schema decimals = new Schema.SchemaBuilder().setSchemaName("t").build();
    decimals.addField(new DimensionFieldSpec("ds", DataType.BIG_DECIMAL, false));
    assertRefused(Tables.offline("t").build(), decimals, "column \"ds\" holds several values");

    assertRefused(
        Tables.offline("every").setTimeColumnName("nowhere").build(),
        Tables.everyType(),
        "time column \"nowhere\" is no date-time column");

    IngestionConfig aggregating = new IngestionConfig();
    aggregating.setAggregationConfigs(List.of(new AggregationConfig("m", "SUM(m)")));
    assertRefused(
        Tables.offline("every").setIngestionConfig(aggregating).build(),
        Tables.everyType(),
        "aggregates rows");

    IngestionConfig twoBatches = new IngestionConfig();
    twoBatches.setBatchIngestionConfig(
        new BatchIngestionConfig(List.of(Map.of(), Map.of()), "APPEND", "DAILY"));
    assertRefused(
        Tables.offline("every").setIngestionConfig(twoBatches).build(),
        Tables.everyType(),
        "2 batchConfigMaps");
  }

  private static void assertRefused(TableConfig config, Schema schema, String reason) {
    assertThatThrownBy(() -> SegmentTable.of(config, schema))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot build segments of table")
        .hasMessageContaining(reason);
  }

  private static TableConfig upsertConfig(UpsertConfig upsert) {
    return new TableConfigBuilder(TableType.REALTIME)
        .setTableName("u")
        .setTimeColumnName("ts")
        .setUpsertConfig(upsert)
        .build();
  }

  private static Schema upsertSchema() {
    return new Schema.SchemaBuilder()
        .setSchemaName("u")
        .addSingleValueDimension("id", DataType.STRING)
        .addSingleValueDimension("version", DataType.LONG)
        .addSingleValueDimension("deleted", DataType.BOOLEAN)
        .addDateTime("ts", DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .setPrimaryKeyColumns(List.of("id"))
        .build();
  }
}

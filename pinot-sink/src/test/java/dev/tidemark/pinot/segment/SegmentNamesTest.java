package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.pinot.common.utils.UploadedRealtimeSegmentName;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.ingestion.BatchIngestionConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.junit.jupiter.api.Test;

class SegmentNamesTest {
  private static final Run RUN = new Run("r-1", 1_767_225_600_000L, 2);

  @Test
  void offlineNamesTellRunEpochSubtaskAndSequence() {
    SegmentNames names = SegmentNames.of(table(TableType.OFFLINE, "orders", Map.of()));
    assertThat(names.offline(RUN, 3, 12)).isEqualTo("orders_r-1_2_3_12");
  }

  @Test
  void offlineNamesNeverHoldTwoUnderscoresInARow() {
    SegmentTable table = table(TableType.OFFLINE, "orders", Map.of());
    assertThat(SegmentNames.of(table, "a__b__c__d__e").offline(RUN, 3, 12))
        .isEqualTo("a_b_c_d_e_r-1_2_3_12");
  }

  @Test
  void realtimeNamesAreReadByPinotWhateverTheBatchConfigSays() {
    Map<String, String> batch =
        Map.of(
            "segmentNameGenerator.type", "fixed",
            "segmentNameGenerator.configs.segment.name", "same",
            "segmentNameGenerator.configs.segment.name.prefix", "load",
            "segmentNameGenerator.configs.segment.name.postfix", "v2");
    SegmentNames names = SegmentNames.of(table(TableType.REALTIME, "orders", batch));

    String name = names.realtime(RUN, 5, 3, 12);

    assertThat(name).isEqualTo("load__orders__5__1767225600000__r-1_2_3_12_v2");
    UploadedRealtimeSegmentName read = Objects.requireNonNull(UploadedRealtimeSegmentName.of(name));
    assertThat(read.getPartitionId()).isEqualTo(5);
    assertThat(read.getTableName()).isEqualTo("orders");
  }

  @Test
  void realtimeTablesAndPrefixesThatSplitNamesAreRefused() {
    assertThatThrownBy(() -> SegmentNames.of(table(TableType.REALTIME, "or__ders", Map.of())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("__");
    SegmentTable table = table(TableType.REALTIME, "orders", Map.of());
    for (String prefix : List.of("a__b", "a_", "_a", " ", "a/b")) {
      assertThatThrownBy(() -> SegmentNames.of(table, prefix))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("prefix \"" + prefix + "\"");
    }
  }

  @Test
  void noTwoNamesAreAlike() {
    SegmentNames names = SegmentNames.of(table(TableType.REALTIME, "orders", Map.of()));
    Set<String> seen = new HashSet<>();
    for (int epoch = 0; epoch < 3; epoch++) {
      Run run = new Run("r", 1, epoch);
      for (int subtask = 0; subtask < 12; subtask++) {
        for (int sequence = 0; sequence < 12; sequence++) {
          assertThat(seen.add(names.offline(run, subtask, sequence))).isTrue();
          assertThat(seen.add(names.realtime(run, 0, subtask, sequence))).isTrue();
        }
      }
    }
  }

  @Test
  void theTablesOwnBatchConfigIsUsedAndLeftAlone() {
    // Case 7.
    Map<String, String> batch =
        new HashMap<>(Map.of("segmentNameGenerator.configs.segment.name.prefix", "load"));
    TableConfig config = config(TableType.OFFLINE, "orders", batch);
    String before = config.toJsonString();

    SegmentTable table = SegmentTable.of(config, schema());

    assertThat(SegmentNames.of(table).offline(RUN, 0, 0)).isEqualTo("load_r-1_2_0_0");
    assertThat(config.toJsonString()).isEqualTo(before);
    assertThat(batch).hasSize(1);
    assertThat(table.batchConfig()).isEqualTo(batch);
    assertThat(table.tableConfig().toJsonString()).isEqualTo(before);
  }

  private static SegmentTable table(TableType type, String name, Map<String, String> batch) {
    return SegmentTable.of(config(type, name, batch), schema());
  }

  private static TableConfig config(TableType type, String name, Map<String, String> batch) {
    IngestionConfig ingestion = new IngestionConfig();
    if (!batch.isEmpty()) {
      ingestion.setBatchIngestionConfig(
          new BatchIngestionConfig(List.of(batch), "APPEND", "DAILY"));
    }
    return new TableConfigBuilder(type)
        .setTableName(name)
        .setTimeColumnName("at")
        .setIngestionConfig(ingestion)
        .build();
  }

  private static Schema schema() {
    return new Schema.SchemaBuilder()
        .setSchemaName("orders")
        .addSingleValueDimension("id", DataType.STRING)
        .addDateTime("at", DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .build();
  }
}

package dev.tidemark.pinot.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pinot.PinotTable;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.UpsertConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableSettingsTest {
  @Test
  void aTableWithoutUpsertTakesInsertsAlone() {
    assertThat(offline().changes()).isEqualTo(ChangelogMode.insertOnly());
  }

  @Test
  void aTableWithUpsertTakesUpdates() {
    assertThat(upsert(null).changes().getContainedKinds())
        .containsExactlyInAnyOrder(RowKind.INSERT, RowKind.UPDATE_AFTER);
  }

  @Test
  void aTableWithADeleteColumnTakesDeletionsAsWholeRows() {
    ChangelogMode changes = upsert("gone").changes();
    assertThat(changes.getContainedKinds())
        .containsExactlyInAnyOrder(RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE);
    assertThat(changes.keyOnlyDeletes()).isFalse();
  }

  @Test
  void theKeyIsTheOneOfPinotInAnyOrder() {
    assertThatCode(() -> upsert("gone").check(List.of("shop", "id"))).doesNotThrowAnyException();
    assertThatCode(() -> upsert("gone").check(List.of("id", "shop"))).doesNotThrowAnyException();
    assertThatThrownBy(() -> upsert("gone").check(List.of("id")))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("Invalid primary key of table u_REALTIME: [id]")
        .hasMessageContaining("PRIMARY KEY (id, shop) NOT ENFORCED");
    assertThatThrownBy(() -> upsert("gone").check(List.of()))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("Invalid primary key of table u_REALTIME: none");
  }

  @Test
  void aKeyOfATableThatKeepsEveryRowIsRefused() {
    assertThatCode(() -> offline().check(List.of())).doesNotThrowAnyException();
    assertThatThrownBy(() -> offline().check(List.of("id")))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("since the table keeps every row it is given");
  }

  private static TableSettings offline() {
    TableConfig config = new TableConfigBuilder(TableType.OFFLINE).setTableName("u").build();
    return new TableSettings(
        new PinotTable("u", PinotTable.Type.OFFLINE), config, schema(), rows());
  }

  private static TableSettings upsert(@Nullable String deleteColumn) {
    UpsertConfig upsert = new UpsertConfig(UpsertConfig.Mode.FULL);
    upsert.setDeleteRecordColumn(deleteColumn);
    TableConfig config =
        new TableConfigBuilder(TableType.REALTIME)
            .setTableName("u")
            .setTimeColumnName("ts")
            .build();
    config.setUpsertConfig(upsert);
    return new TableSettings(
        new PinotTable("u", PinotTable.Type.REALTIME), config, schema(), rows());
  }

  private static Schema schema() {
    return new Schema.SchemaBuilder()
        .setSchemaName("u")
        .addSingleValueDimension("id", FieldSpec.DataType.STRING)
        .addSingleValueDimension("shop", FieldSpec.DataType.STRING)
        .addSingleValueDimension("gone", FieldSpec.DataType.BOOLEAN)
        .addDateTime("ts", FieldSpec.DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .setPrimaryKeyColumns(List.of("id", "shop"))
        .build();
  }

  private static RowType rows() {
    return (RowType)
        DataTypes.ROW(
                DataTypes.FIELD("id", DataTypes.STRING()),
                DataTypes.FIELD("shop", DataTypes.STRING()),
                DataTypes.FIELD("ts", DataTypes.BIGINT()))
            .getLogicalType();
  }
}

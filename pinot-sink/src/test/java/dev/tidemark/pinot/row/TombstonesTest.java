package dev.tidemark.pinot.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pinot.segment.RejectedRowException;
import dev.tidemark.pinot.segment.RejectedRowException.Reason;
import dev.tidemark.pinot.segment.SegmentTable;
import java.util.List;
import java.util.Objects;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.UpsertConfig;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TombstonesTest {

  @Test
  void deletionsAndRetractionsSetTheDeleteColumn() throws Exception {
    Tombstones tombstones = Tombstones.of(upsertTable("deleted"));
    for (RowKind kind : List.of(RowKind.DELETE, RowKind.UPDATE_BEFORE)) {
      GenericRow stored = Objects.requireNonNull(tombstones.rowFor(kind, row()));
      assertThat(stored.getValue("deleted")).isEqualTo(true);
      assertThat(stored.getValue("id")).isEqualTo("o1");
    }
    for (RowKind kind : List.of(RowKind.INSERT, RowKind.UPDATE_AFTER)) {
      assertThat(tombstones.rowFor(kind, row())).isEqualTo(row());
    }
  }

  @Test
  void withoutADeleteColumnDeletionsAreRefusedAndRetractionsLeftOut() throws Exception {
    Tombstones tombstones = Tombstones.of(upsertTable(null));
    assertRefused(tombstones, RowKind.DELETE, "no delete column");
    assertThat(tombstones.rowFor(RowKind.UPDATE_BEFORE, row())).isNull();
    assertThat(tombstones.rowFor(RowKind.UPDATE_AFTER, row())).isEqualTo(row());
  }

  @Test
  void aTableWithoutUpsertTakesInsertsAlone() throws Exception {
    SegmentTable table =
        SegmentTable.of(
            new TableConfigBuilder(TableType.OFFLINE).setTableName("u").build(), schema());
    Tombstones tombstones = Tombstones.of(table);
    assertThat(tombstones.rowFor(RowKind.INSERT, row())).isEqualTo(row());
    for (RowKind kind : List.of(RowKind.DELETE, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER)) {
      assertRefused(tombstones, kind, "keeps every row");
    }
  }

  private static void assertRefused(Tombstones tombstones, RowKind kind, String why) {
    assertThatThrownBy(() -> tombstones.rowFor(kind, row()))
        .isInstanceOfSatisfying(
            RejectedRowException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.CHANGE_REFUSED))
        .hasMessageContaining(kind.name())
        .hasMessageContaining(why);
  }

  private static GenericRow row() {
    GenericRow row = new GenericRow();
    row.putValue("id", "o1");
    return row;
  }

  private static SegmentTable upsertTable(@Nullable String deleteColumn) {
    UpsertConfig upsert = new UpsertConfig(UpsertConfig.Mode.FULL);
    upsert.setDeleteRecordColumn(deleteColumn);
    return SegmentTable.of(
        new TableConfigBuilder(TableType.REALTIME)
            .setTableName("u")
            .setTimeColumnName("ts")
            .setUpsertConfig(upsert)
            .build(),
        schema());
  }

  private static Schema schema() {
    return new Schema.SchemaBuilder()
        .setSchemaName("u")
        .addSingleValueDimension("id", DataType.STRING)
        .addSingleValueDimension("deleted", DataType.BOOLEAN)
        .addDateTime("ts", DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .setPrimaryKeyColumns(List.of("id"))
        .build();
  }
}

package dev.tidemark.pinot.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.eventtime.RecordRole;
import dev.tidemark.finalization.flink.sql.FinalizationSettings.EventTime;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventTimeFieldTest {
  private static final long TIME = 1_767_225_600_123L;
  private static final RowType ROWS =
      (RowType)
          DataTypes.ROW(
                  DataTypes.FIELD("at", DataTypes.TIMESTAMP(3)),
                  DataTypes.FIELD("n", DataTypes.BIGINT()),
                  DataTypes.FIELD("s", DataTypes.STRING()),
                  DataTypes.FIELD("snapshot", DataTypes.BOOLEAN()),
                  DataTypes.FIELD("again", DataTypes.BOOLEAN()))
              .getLogicalType();
  private static final RowData ROW =
      GenericRowData.of(
          TimestampData.fromEpochMillis(TIME),
          TIME / 1000,
          StringData.fromString("2026-01-01T00:00:00.123Z"),
          true,
          null);

  @Test
  void readsTimestampsNumbersAndText() {
    assertThat(field("at", null).eventTimeMillis(ROW)).isEqualTo(TIME);
    assertThat(field("n", EventTimeUnit.SECONDS).eventTimeMillis(ROW))
        .isEqualTo(TIME / 1000 * 1000);
    assertThat(field("s", EventTimeUnit.ISO_8601).eventTimeMillis(ROW)).isEqualTo(TIME);
  }

  @Test
  void aNullIsNoTimeAndTextThatIsNoneIsInvalid() {
    GenericRowData row = new GenericRowData(5);
    EventTimeExtractor<RowData> text = field("s", EventTimeUnit.ISO_8601);
    assertThat(text.hasEventTime(row)).isFalse();
    row.setField(2, StringData.fromString("yesterday"));
    assertThat(text.hasEventTime(row)).isTrue();
    assertThat(text.eventTimeMillis(row)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void rolesComeFromBooleanColumns() {
    assertThat(EventTimeField.of(ROWS, new EventTime("at", null, "snapshot", "again")).role(ROW))
        .isEqualTo(RecordRole.SNAPSHOT);
    assertThat(EventTimeField.of(ROWS, new EventTime("at", null, null, "again")).role(ROW))
        .isEqualTo(RecordRole.STREAM);
    assertThatThrownBy(() -> EventTimeField.of(ROWS, new EventTime("at", null, "n", null)))
        .hasMessageContaining("no BOOLEAN column \"n\"");
  }

  @Test
  void typeAndUnitMustFit() {
    assertThatThrownBy(() -> field("n", null)).hasMessageContaining("do not fit");
    assertThatThrownBy(() -> field("at", EventTimeUnit.MILLIS)).hasMessageContaining("do not fit");
    assertThatThrownBy(() -> field("again", null)).hasMessageContaining("it is of type BOOLEAN");
    assertThatThrownBy(() -> field("gone", null)).hasMessageContaining("no such column");
  }

  private static EventTimeExtractor<RowData> field(String column, @Nullable EventTimeUnit unit) {
    return EventTimeField.of(ROWS, new EventTime(column, unit, null, null));
  }
}

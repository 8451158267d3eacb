package dev.tidemark.pinot.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.eventtime.RecordRole;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class EventTimeFieldTest {
  private static final long TIME = 1_767_225_600_123L;
  private static final EventTimeRoles NONE = new EventTimeRoles(null, null);
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
    assertThat(EventTimeField.of(ROWS, "at", null, NONE).eventTimeMillis(ROW)).isEqualTo(TIME);
    assertThat(EventTimeField.of(ROWS, "n", EventTimeUnit.SECONDS, NONE).eventTimeMillis(ROW))
        .isEqualTo(TIME / 1000 * 1000);
    assertThat(EventTimeField.of(ROWS, "s", EventTimeUnit.ISO_8601, NONE).eventTimeMillis(ROW))
        .isEqualTo(TIME);
  }

  @Test
  void aNullIsNoTimeAndTextThatIsNoneIsInvalid() {
    GenericRowData row = new GenericRowData(5);
    EventTimeExtractor<RowData> text = EventTimeField.of(ROWS, "s", EventTimeUnit.ISO_8601, NONE);
    assertThat(text.hasEventTime(row)).isFalse();
    row.setField(2, StringData.fromString("yesterday"));
    assertThat(text.hasEventTime(row)).isTrue();
    assertThat(text.eventTimeMillis(row)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void rolesComeFromBooleanColumns() {
    EventTimeRoles roles = EventTimeRoles.of(ROWS, "snapshot", "again");
    assertThat(EventTimeField.of(ROWS, "at", null, roles).role(ROW)).isEqualTo(RecordRole.SNAPSHOT);
    assertThat(
            EventTimeField.of(ROWS, "at", null, EventTimeRoles.of(ROWS, null, "again")).role(ROW))
        .isEqualTo(RecordRole.STREAM);
    assertThatThrownBy(() -> EventTimeRoles.of(ROWS, "n", null))
        .hasMessageContaining("no BOOLEAN column \"n\"");
  }

  @Test
  void typeAndUnitMustFit() {
    assertThatThrownBy(() -> EventTimeField.of(ROWS, "n", null, NONE))
        .hasMessageContaining("do not fit");
    assertThatThrownBy(() -> EventTimeField.of(ROWS, "at", EventTimeUnit.MILLIS, NONE))
        .hasMessageContaining("do not fit");
    assertThatThrownBy(() -> EventTimeField.of(ROWS, "again", null, NONE))
        .hasMessageContaining("it is of type BOOLEAN");
    assertThatThrownBy(() -> EventTimeField.of(ROWS, "gone", null, NONE))
        .hasMessageContaining("no such column");
  }
}

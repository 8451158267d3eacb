package dev.tidemark.iceberg.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.eventtime.EventTimeAccumulator;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.eventtime.RecordRole;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.Mirror;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventTimeColumnTest {
  private static final Instant TIME = Instant.parse("2026-01-01T10:05:30.123Z");
  private static final EventTimeColumn COLUMN = EventTimeColumn.timestamp("event_time");

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void bindsByNameWhereNothingIsKept() throws Exception {
    Table table = table();
    assertThat(COLUMN.bind(table).fieldId()).isEqualTo(2);
    assertThatThrownBy(() -> EventTimeColumn.timestamp("when").bind(table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Missing event-time column \"when\"")
        .hasMessageContaining("event_time");
  }

  @Test
  void renameChangesNothingUnderTheOldNameAndUnderTheNewOne() throws Exception {
    Table table = bound();
    table.updateSchema().renameColumn("event_time", "happened_at").commit();
    assertThat(COLUMN.bind(table).name()).isEqualTo("happened_at");
    assertThat(EventTimeColumn.timestamp("happened_at").bind(table).fieldId()).isEqualTo(2);
  }

  @Test
  void droppedColumnIsRefused() throws Exception {
    Table table = bound();
    table.updateSchema().deleteColumn("event_time").commit();
    assertThatThrownBy(() -> COLUMN.bind(table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("field 2 (configured as \"event_time\") was dropped")
        .hasMessageContaining("remove the property " + Mirror.EVENT_TIME_FIELD_ID);
  }

  @Test
  void columnThatWasDroppedAndAddedAgainIsAnotherOne() throws Exception {
    Table table = bound();
    table.updateSchema().deleteColumn("event_time").commit();
    table.updateSchema().addColumn("event_time", Types.TimestampType.withZone()).commit();
    assertThatThrownBy(() -> COLUMN.bind(table)).hasMessageContaining("was dropped");
  }

  @Test
  void retypedColumnIsRefused() throws Exception {
    Table table = table();
    table
        .updateProperties()
        .set(Mirror.EVENT_TIME_FIELD_ID, "3")
        .set(Mirror.EVENT_TIME_TYPE, "int")
        .commit();
    table.updateSchema().updateColumn("amount", Types.LongType.get()).commit();
    assertThatThrownBy(() -> EventTimeColumn.of("amount", EventTimeUnit.SECONDS).bind(table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("its type is now long (expected: int")
        .hasMessageContaining("remove the property " + Mirror.EVENT_TIME_TYPE);
  }

  @Test
  void anotherColumnIsRefused() throws Exception {
    Table table = bound();
    assertThatThrownBy(() -> EventTimeColumn.of("id", EventTimeUnit.MILLIS).bind(table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rests on column \"event_time\" (field 2)");
  }

  @Test
  void bindingIsKeptAsFieldIdAndType() {
    assertThat(COLUMN.bindingTo(EmbeddedCatalog.EVENTS.findField(2)))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "finalization.event-time.field-id", "2",
                "finalization.event-time.type", "timestamptz"));
  }

  @ParameterizedTest
  @CsvSource({"0", "3", "6", "9"})
  void timestampsOfAnyPrecisionAreRead(int precision) {
    TimestampData value = TimestampData.fromInstant(TIME);
    assertThat(millis(COLUMN, new TimestampType(precision), value)).isEqualTo(TIME.toEpochMilli());
    assertThat(millis(COLUMN, new LocalZonedTimestampType(precision), value))
        .isEqualTo(TIME.toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource({
    "SECONDS, 1767261930, 1767261930000",
    "MILLIS, 1767261930123, 1767261930123",
    "MICROS, 1767261930123999, 1767261930123",
    "NANOS, 1767261930123999999, 1767261930123",
    "TSO, 463277911374561280, 1767264981745"
  })
  void numbersAreReadInTheirUnit(EventTimeUnit unit, long number, long millis) {
    assertThat(millis(EventTimeColumn.of("event_time", unit), new BigIntType(), number))
        .isEqualTo(millis);
  }

  @Test
  void textIsReadInItsUnit() {
    LogicalType text = new VarCharType();
    assertThat(
            millis(
                EventTimeColumn.of("event_time", EventTimeUnit.ISO_8601),
                text,
                StringData.fromString("2026-01-01T11:05:30.123+01:00")))
        .isEqualTo(TIME.toEpochMilli());
    assertThat(
            millis(
                EventTimeColumn.of("event_time", EventTimeUnit.MICROS),
                text,
                StringData.fromString("1767261930123999")))
        .isEqualTo(1767261930123L);
  }

  @Test
  void textThatIsNoTimeIsCountedAsInvalid() {
    EventTimeColumn column = EventTimeColumn.of("event_time", EventTimeUnit.ISO_8601);
    EventTimeAccumulator<RowData> facts =
        new EventTimeAccumulator<>(
            column.extractor(rows(new VarCharType()), "event_time"),
            Granularity.HOUR,
            EventTimeBounds.DEFAULT,
            Clock.systemUTC());
    for (String text : new String[] {"2026-01-01T10:05:30Z", "yesterday", "", "1767261930"}) {
      facts.add(row(StringData.fromString(text)));
    }
    facts.add(row(null));
    EventTimeFacts counted = facts.snapshot();
    assertThat(counted.times().count()).isEqualTo(1);
    assertThat(counted.setAside().invalidCount()).isEqualTo(3);
    assertThat(counted.setAside().nullCount()).isEqualTo(1);
  }

  @Test
  void unitMustFitTheType() {
    assertUnitRefused(COLUMN, new BigIntType());
    assertUnitRefused(COLUMN, new VarCharType());
    assertUnitRefused(EventTimeColumn.of("event_time", EventTimeUnit.MILLIS), new TimestampType(6));
    assertUnitRefused(EventTimeColumn.of("event_time", EventTimeUnit.ISO_8601), new BigIntType());
    assertThatThrownBy(() -> COLUMN.extractor(rows(new IntType()), "event_time"))
        .hasMessageContaining("of type INT (expected: a timestamp, a BIGINT or a STRING");
  }

  @Test
  void snapshotColumnTellsRowsOfABootstrap() {
    RowType rows =
        RowType.of(
            new LogicalType[] {new TimestampType(6), new BooleanType()},
            new String[] {"event_time", "is_snapshot"});
    EventTimeExtractor<RowData> extractor =
        COLUMN.withSnapshotColumn("is_snapshot").extractor(rows, "event_time");
    TimestampData time = TimestampData.fromInstant(TIME);
    assertThat(extractor.role(GenericRowData.of(time, true))).isEqualTo(RecordRole.SNAPSHOT);
    assertThat(extractor.role(GenericRowData.of(time, false))).isEqualTo(RecordRole.STREAM);
    assertThat(extractor.role(GenericRowData.of(time, null))).isEqualTo(RecordRole.STREAM);
    assertThatThrownBy(() -> COLUMN.withSnapshotColumn("event_time").extractor(rows, "event_time"))
        .hasMessageContaining("Invalid snapshot column \"event_time\"")
        .hasMessageContaining("expected: BOOLEAN");
    assertThatThrownBy(() -> COLUMN.withSnapshotColumn("nowhere").extractor(rows, "event_time"))
        .hasMessageContaining("Missing column \"nowhere\"");
  }

  @Test
  void backfillColumnTellsRowsThatAreOldOnPurpose() {
    RowType rows =
        RowType.of(
            new LogicalType[] {new TimestampType(6), new BooleanType()},
            new String[] {"event_time", "is_old"});
    EventTimeExtractor<RowData> extractor =
        COLUMN.withBackfillColumn("is_old").extractor(rows, "event_time");
    TimestampData time = TimestampData.fromInstant(TIME);
    assertThat(extractor.role(GenericRowData.of(time, true))).isEqualTo(RecordRole.BACKFILL);
    assertThat(extractor.role(GenericRowData.of(time, false))).isEqualTo(RecordRole.STREAM);
    assertThatThrownBy(() -> COLUMN.withBackfillColumn("event_time").extractor(rows, "event_time"))
        .hasMessageContaining("Invalid backfill column \"event_time\"");
  }

  private Table table() throws Exception {
    return EmbeddedCatalog.in(directory).create("events", Map.of());
  }

  private Table bound() throws Exception {
    Table table = table();
    var update = table.updateProperties();
    COLUMN.bindingTo(COLUMN.bind(table)).forEach(update::set);
    update.commit();
    return table;
  }

  private static void assertUnitRefused(EventTimeColumn column, LogicalType type) {
    assertThatThrownBy(() -> column.extractor(rows(type), "event_time"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Invalid unit of event-time column \"event_time\"");
  }

  private static long millis(EventTimeColumn column, LogicalType type, Object value) {
    return column.extractor(rows(type), "event_time").eventTimeMillis(row(value));
  }

  private static RowType rows(LogicalType type) {
    return RowType.of(new LogicalType[] {type}, new String[] {"event_time"});
  }

  private static RowData row(@Nullable Object value) {
    return GenericRowData.of(value);
  }
}

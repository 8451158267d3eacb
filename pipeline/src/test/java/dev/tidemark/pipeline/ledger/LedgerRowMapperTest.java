package dev.tidemark.pipeline.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.ColumnType.Kind;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullUnmarked
class LedgerRowMapperTest {
  static final LedgerSchema ORDERS =
      LedgerSchema.of(Captured.ORDERS, List.of(Column.required("id", ColumnType.of(Kind.INT64))));
  static final LedgerSchema ITEMS =
      LedgerSchema.of(
          Captured.ITEMS,
          List.of(
              Column.required("order_id", ColumnType.of(Kind.INT64)),
              Column.required("line_no", ColumnType.of(Kind.INT32))));
  private static final ChangeEventTime CREATED =
      ChangeEventTime.of("created", EventTimeUnit.ISO_8601);

  @Test
  void theLedgerHasTheseColumnsInThisOrder() {
    assertThat(ITEMS.schema().columns())
        .extracting(f -> f.name() + " " + f.type() + (f.isOptional() ? " optional" : ""))
        .containsExactly(
            "cdc_event_time timestamptz optional",
            "cdc_source_time timestamptz",
            "op string",
            "pk_hash long optional",
            "order_id long optional",
            "line_no int optional",
            "before_image string optional",
            "after_image string optional",
            "cdc_ord string",
            "cdc_snapshot boolean",
            "cdc_resent boolean",
            "kafka_topic string",
            "kafka_partition int",
            "kafka_offset long",
            "cdc_key_changed boolean optional");
  }

  @Test
  void theLedgerIsPartitionedByHourAndByABucketOfTheKey() {
    assertThat(ORDERS.partitionSpec(4).toString()).contains("hour(1)", "bucket[4](5)");
    assertThat(ITEMS.partitionSpec(4).toString()).contains("hour(1)", "bucket[4](4)");
    LedgerSchema doubles =
        LedgerSchema.of(Captured.ORDERS, List.of(Column.required("x", ColumnType.of(Kind.DOUBLE))));
    assertThat(doubles.partitionSpec(4).toString()).contains("bucket[4](4)");
    LedgerSchema keyless = LedgerSchema.of(Captured.ORDERS, List.of());
    assertThat(keyless.partitionSpec(4).toString()).contains("hour(1)").doesNotContain("bucket");
    assertThatThrownBy(() -> ORDERS.partitionSpec(0)).hasMessage("buckets: 0 (expected: >= 1)");
  }

  @Test
  void aKeyColumnNamedLikeALedgerColumnIsRefused() {
    Column op = Column.required("op", ColumnType.of(Kind.STRING));
    assertThatThrownBy(() -> LedgerSchema.of(Captured.ORDERS, List.of(op)))
        .hasMessageContaining("shop.orders")
        .hasMessageContaining("\"op\"");
  }

  @Test
  void anInsertIsARowWithItsOwnEventTime() throws Exception {
    RowData row = new LedgerRowMapper(ORDERS, CREATED).map(order(3, Operation.INSERT));
    assertThat(row.getRowKind()).isEqualTo(RowKind.INSERT);
    assertThat(row.getTimestamp(0, 6))
        .isEqualTo(TimestampData.fromEpochMillis(1767323045999L, 999_000));
    assertThat(row.getTimestamp(1, 6)).isEqualTo(TimestampData.fromEpochMillis(1796008582000L));
    assertThat(row.getString(2)).hasToString("I");
    assertThat(row.getLong(3)).isEqualTo(PrimaryKeyHash.hash("[3]"));
    assertThat(row.getLong(4)).isEqualTo(3);
    assertThat(row.isNullAt(5)).isTrue();
    assertThat(row.getString(6).toString()).startsWith("{\"id\":3,\"customer\":\"carol\"");
    assertThat(row.getString(7))
        .hasToString("000000000000000c" + "00000001" + "00000003" + "0000000000000000");
    assertThat(row.getBoolean(8)).isFalse();
    assertThat(row.getBoolean(9)).isFalse();
    assertThat(row.getString(10)).hasToString("cdc.shop.orders");
    assertThat(row.getInt(11)).isEqualTo(3);
    assertThat(row.getLong(12)).isZero();
    assertThat(row.getBoolean(13)).isFalse();
  }

  @Test
  void theMapperWorksAfterTheJobGraphCarriedIt() throws Exception {
    LedgerRowMapper mapper = new LedgerRowMapper(ITEMS, ChangeEventTime.sourceTime());
    ChangeEvent item =
        Captured.events(Captured.PLAIN, Captured.declared()).stream()
            .filter(e -> e.table().equals(Captured.ITEMS))
            .findFirst()
            .orElseThrow();
    assertThat(InstantiationUtil.clone(mapper).map(item)).isEqualTo(mapper.map(item));
    LedgerRowMapper created = new LedgerRowMapper(ORDERS, CREATED);
    ChangeEvent order = order(3, Operation.INSERT);
    assertThat(InstantiationUtil.clone(created).map(order)).isEqualTo(created.map(order));
  }

  @Test
  void aDeleteHasTheEventTimeAndKeyOfTheRowThatWas() throws Exception {
    RowData row = new LedgerRowMapper(ORDERS, CREATED).map(order(51, Operation.DELETE));
    assertThat(row.getTimestamp(0, 6)).isEqualTo(TimestampData.fromEpochMillis(1767323045500L));
    assertThat(row.getLong(4)).isEqualTo(51);
    assertThat(row.isNullAt(5)).isFalse();
    assertThat(row.isNullAt(6)).isTrue();
  }

  @Test
  void aTruncateHasNoEventTimeAndNoKeyButASourceTime() throws Exception {
    ChangeEvent truncate = Captured.events(Captured.TRUNCATE, DebeziumFormat.undeclared()).get(0);
    LedgerSchema schema =
        LedgerSchema.of(
            new TableId("shop", "tt"), List.of(Column.required("id", ColumnType.of(Kind.INT64))));
    RowData row = new LedgerRowMapper(schema, CREATED).map(truncate);
    assertThat(row.isNullAt(0)).isTrue();
    assertThat(row.getTimestamp(1, 6)).isEqualTo(TimestampData.fromEpochMillis(1796009117000L));
    assertThat(row.isNullAt(3)).isTrue();
    assertThat(row.isNullAt(4)).isTrue();
    assertThat(row.isNullAt(5)).isTrue();
    assertThat(row.isNullAt(6)).isTrue();
  }

  @Test
  void anEventTimeThatIsNullOrNotThereIsNull() throws Exception {
    ChangeEvent event = order(2, Operation.SNAPSHOT);
    assertThat(ChangeEventTime.of("d", EventTimeUnit.ISO_8601).eventTimeMicros(event)).isNull();
    assertThat(ChangeEventTime.of("none", EventTimeUnit.MILLIS).eventTimeMicros(event)).isNull();
    assertThat(ChangeEventTime.sourceTime().eventTimeMicros(event)).isEqualTo(1796008574000000L);
  }

  @Test
  void aNumberNeedsItsUnitAndAWrongOneIsRefused() throws Exception {
    ChangeEvent raw =
        Captured.events(Captured.PLAIN, DebeziumFormat.undeclared()).stream()
            .filter(e -> e.table().equals(Captured.ORDERS))
            .findFirst()
            .orElseThrow();
    assertThat(ChangeEventTime.of("created", EventTimeUnit.MICROS).eventTimeMicros(raw))
        .isEqualTo(1709251199123456L);
    assertThat(ChangeEventTime.of("updated", EventTimeUnit.ISO_8601).eventTimeMicros(raw))
        .isEqualTo(1796008549904258L);
    assertThatThrownBy(
            () -> ChangeEventTime.of("created", EventTimeUnit.MILLIS).eventTimeMicros(raw))
        .isInstanceOf(UnmappableEventException.class)
        .hasMessageContaining("cdc.shop.orders-0@0")
        .hasMessageContaining("shop.orders.created: 1709251199123456 (expected: MILLIS");
    assertThatThrownBy(
            () -> ChangeEventTime.of("created", EventTimeUnit.ISO_8601).eventTimeMicros(raw))
        .hasMessageContaining("expected: ISO_8601");
  }

  @ParameterizedTest
  @CsvSource({
    "SECONDS,1700000000",
    "MILLIS,1700000000000",
    "MICROS,1700000000000000",
    "NANOS,1700000000000000999"
  })
  void everyUnitMeansTheSameMoment(EventTimeUnit unit, long number) {
    assertThat(unit.toMicros(number)).isEqualTo(1_700_000_000_000_000L);
  }

  @Test
  void anEventOfAnotherTableOrWithAKeyOfAnotherTypeIsRefused() {
    LedgerRowMapper mapper = new LedgerRowMapper(ITEMS, CREATED);
    assertThatThrownBy(() -> mapper.map(order(3, Operation.INSERT)))
        .hasMessageContaining("table: shop.orders (expected: shop.order_items)");
    LedgerSchema text =
        LedgerSchema.of(
            Captured.ORDERS, List.of(Column.required("id", ColumnType.of(Kind.STRING))));
    assertThatThrownBy(() -> new LedgerRowMapper(text, CREATED).map(order(3, Operation.INSERT)))
        .hasMessageContaining(
            "key column id: 3 of java.lang.Long (expected: a value of type string)");
  }

  /** The reference values are of MurmurHash3 x64 128, seed 0, first half. */
  @Test
  void theHashOfAKeyIsPinned() {
    assertThat(PrimaryKeyHash.text(List.of(50L, "T1"))).isEqualTo("[50,\"T1\"]");
    assertThat(PrimaryKeyHash.hash("")).isZero();
    assertThat(Long.toHexString(PrimaryKeyHash.hash("hello"))).isEqualTo("cbd8a7b341bd9b02");
  }

  private static ChangeEvent order(long id, Operation operation) {
    return Captured.events(Captured.PLAIN, Captured.declared()).stream()
        .filter(e -> e.table().equals(Captured.ORDERS) && e.operation() == operation)
        .filter(e -> Long.valueOf(id).equals(e.key().value("id")))
        .findFirst()
        .orElseThrow();
  }
}

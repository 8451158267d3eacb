package dev.tidemark.pinot.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.util.Utf8;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConvertersTest {

  @Test
  void rowsOfFlinkGoThereAndBackWithTheirKind() throws Exception {
    RowTypeInfo type =
        new RowTypeInfo(
            new TypeInformation<?>[] {Types.INT, Types.STRING}, new String[] {"id", "name"});
    PinotRowRecordConverter converter = copy(new PinotRowRecordConverter(type));
    Row row = Row.ofKind(RowKind.DELETE, 1, null);

    GenericRow generic = converter.convertToRow(row);

    assertThat(generic.getFieldToValueMap()).isEqualTo(fields("id", 1, "name", null));
    assertThat(converter.convertFromRow(generic)).isEqualTo(Row.of(1, null));
    assertThat(converter.kind(row)).isEqualTo(RowKind.DELETE);
    assertThatThrownBy(() -> converter.convertToRow(Row.of(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void mapsGoThereAndBack() throws Exception {
    MapGenericRowConverter converter = copy(new MapGenericRowConverter());
    Map<String, Object> map = Map.of("id", 1, "names", List.of("a", "b"));
    assertThat(converter.convertFromRow(converter.convertToRow(map))).isEqualTo(map);
    assertThat(converter.kind(map)).isEqualTo(RowKind.INSERT);
  }

  @Test
  void rowDataBecomesPlainValues() throws Exception {
    RowType inner = RowType.of(new LogicalType[] {new IntType()}, new String[] {"x"});
    RowType type =
        RowType.of(
            new LogicalType[] {
              new TinyIntType(),
              new VarCharType(),
              new DecimalType(10, 2),
              new DateType(),
              new TimestampType(3),
              new LocalZonedTimestampType(3),
              new ArrayType(new VarCharType()),
              new MapType(new VarCharType(), new BigIntType()),
              inner,
              new IntType()
            },
            new String[] {"tiny", "s", "dec", "date", "ts", "ltz", "array", "map", "row", "none"});
    RowDataGenericRowConverter converter = copy(new RowDataGenericRowConverter(type));
    GenericRowData row =
        GenericRowData.ofKind(
            RowKind.UPDATE_BEFORE,
            (byte) 7,
            StringData.fromString("text"),
            DecimalData.fromBigDecimal(new BigDecimal("1.25"), 10, 2),
            20_455,
            TimestampData.fromEpochMillis(1_000),
            TimestampData.fromEpochMillis(2_000),
            new GenericArrayData(new Object[] {StringData.fromString("a"), null}),
            new GenericMapData(Map.of(StringData.fromString("k"), 5L)),
            GenericRowData.of(3),
            null);

    Map<String, Object> fields = converter.convertToRow(row).getFieldToValueMap();

    assertThat(fields.remove("array")).isEqualTo(new Object[] {"a", null});
    assertThat(fields)
        .isEqualTo(
            fields(
                "tiny", 7,
                "s", "text",
                "dec", new BigDecimal("1.25"),
                "date", LocalDate.ofEpochDay(20_455),
                "ts", LocalDateTime.parse("1970-01-01T00:00:01"),
                "ltz", Instant.ofEpochMilli(2_000),
                "map", Map.of("k", 5L),
                "row", Map.of("x", 3),
                "none", null));
    assertThat(converter.kind(row)).isEqualTo(RowKind.UPDATE_BEFORE);
  }

  @Test
  void aFieldOfATypeThatPinotCannotHoldIsRefusedAtOnce() {
    RowType type =
        RowType.of(new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.YEAR));
    assertThatThrownBy(() -> new RowDataGenericRowConverter(type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("INTERVAL");
  }

  @Test
  void avroRecordsBecomePlainValues() throws Exception {
    Schema decimal = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema millis = LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
    Schema date = LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
    Schema schema =
        SchemaBuilder.record("r")
            .fields()
            .optionalString("s")
            .name("dec")
            .type(decimal)
            .noDefault()
            .name("at")
            .type(millis)
            .noDefault()
            .name("day")
            .type(date)
            .noDefault()
            .name("tags")
            .type()
            .array()
            .items()
            .stringType()
            .noDefault()
            .name("raw")
            .type()
            .bytesType()
            .noDefault()
            .optionalInt("none")
            .endRecord();
    AvroGenericRowConverter converter = copy(new AvroGenericRowConverter(schema));
    GenericData.Record record = new GenericData.Record(schema);
    record.put("s", new Utf8("text"));
    record.put("dec", ByteBuffer.wrap(new BigDecimal("-1.25").unscaledValue().toByteArray()));
    record.put("at", 1_000L);
    record.put("day", 3);
    record.put("tags", List.of(new Utf8("a"), new Utf8("b")));
    record.put("raw", ByteBuffer.wrap(new byte[] {1, 2}));

    Map<String, Object> fields = converter.convertToRow(record).getFieldToValueMap();

    assertThat(fields.remove("raw")).isEqualTo(new byte[] {1, 2});
    assertThat(fields)
        .isEqualTo(
            fields(
                "s",
                "text",
                "dec",
                new BigDecimal("-1.25"),
                "at",
                Instant.ofEpochMilli(1_000),
                "day",
                LocalDate.ofEpochDay(3),
                "tags",
                List.of("a", "b"),
                "none",
                null));
  }

  @Test
  void pojosGoThereAndBack() throws Exception {
    PojoGenericRowConverter<Order> converter = copy(new PojoGenericRowConverter<>(Order.class));
    Order order = new Order();
    order.id = 4;
    order.setName("four");

    GenericRow row = converter.convertToRow(order);

    assertThat(row.getFieldToValueMap()).isEqualTo(Map.of("id", 4, "name", "four"));
    assertThat(converter.convertFromRow(row).getName()).isEqualTo("four");
    assertThatThrownBy(() -> new PojoGenericRowConverter<>(Object.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Object");
  }

  /** A POJO by a public field and by a getter and a setter. */
  public static class Order {
    public int id;
    private String name = "";

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }
  }

  private static Map<String, @Nullable Object> fields(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> fields = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return fields;
  }

  private static <T extends Serializable> T copy(T converter) throws Exception {
    return InstantiationUtil.clone(converter);
  }
}

package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pinot.segment.RejectedRowException.Reason;
import dev.tidemark.pinot.segment.StagedSegment.Times;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.ingestion.ComplexTypeConfig;
import org.apache.pinot.spi.config.table.ingestion.FilterConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.config.table.ingestion.TransformConfig;
import org.apache.pinot.spi.data.ComplexFieldSpec;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.DimensionFieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.FieldSpec.MaxLengthExceedStrategy;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentRowsTest {
  private static final long AT = 1_767_323_045_678L; // 2026-01-02T03:04:05.678Z

  @TempDir Path work;

  @Test
  void keepsTypesAndNullsAndFiltersOnceByAColumnOutsideTheSchema() throws Exception {
    // Case 6.
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("a")
            .setEnableColumnBasedNullHandling(true)
            .addSingleValueDimension("id", DataType.INT)
            .addSingleValueDimension("amt", DataType.BIG_DECIMAL)
            .addSingleValueDimension("n", DataType.INT)
            .addMultiValueDimension("m", DataType.LONG)
            .addSingleValueDimension("b", DataType.BYTES)
            .addSingleValueDimension("j", DataType.JSON)
            .build();
    IngestionConfig ingestion = new IngestionConfig();
    ingestion.setFilterConfig(new FilterConfig("Groovy({op != 'keep'}, op)"));
    TableConfig config = Tables.offline("a").setIngestionConfig(ingestion).build();
    SegmentRows rows = SegmentTable.of(config, schema).newRows();
    BigDecimal amount = new BigDecimal("12345678901234567890.123456789");

    assertThat(rows.add(caseSix(1, amount, "keep"))).isEqualTo(1);
    assertThat(rows.add(caseSix(2, amount, "drop"))).isZero();

    assertThat(rows.rows()).isEqualTo(1);
    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.values("id")).containsExactly(1);
      assertThat(segment.values("amt")).containsExactly(amount);
      assertThat(segment.values("n")).containsExactly((Object) null);
      assertThat(segment.stored("n")).containsExactly(Integer.MIN_VALUE);
      assertThat(segment.values("m")).containsExactly(List.of(1L, 2L));
      assertThat(segment.values("b")).containsExactly("00ff");
      assertThat(segment.values("j")).containsExactly("{\"a\":1}");
    }
  }

  private static GenericRow caseSix(int id, BigDecimal amount, String op) {
    return Tables.row(
        "id",
        id,
        "amt",
        amount,
        "n",
        null,
        "m",
        new long[] {1, 2},
        "b",
        new byte[] {0, -1},
        "j",
        Map.of("a", 1),
        "op",
        op);
  }

  @Test
  void transformsRunOnceAndLeaveTheGivenRowAlone() throws Exception {
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("t")
            .addSingleValueDimension("id", DataType.INT)
            .addSingleValueDimension("next", DataType.INT)
            .build();
    IngestionConfig ingestion = new IngestionConfig();
    ingestion.setTransformConfigs(
        List.of(
            new TransformConfig("next", "Groovy({id + 1}, id)"),
            new TransformConfig("id", "Groovy({raw * 10}, raw)")));
    SegmentTable table =
        SegmentTable.of(Tables.offline("t").setIngestionConfig(ingestion).build(), schema);
    SegmentRows rows = table.newRows();
    GenericRow given = Tables.row("raw", 4);

    rows.add(given);

    assertThat(given.getFieldToValueMap()).isEqualTo(Map.of("raw", 4));
    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.values("id")).containsExactly(40);
      assertThat(segment.values("next")).containsExactly(41);
    }
  }

  @Test
  void aListIsUnnestedIntoRows() throws Exception {
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("t")
            .addSingleValueDimension("id", DataType.INT)
            .addSingleValueDimension("items.sku", DataType.STRING)
            .build();
    IngestionConfig ingestion = new IngestionConfig();
    ingestion.setComplexTypeConfig(new ComplexTypeConfig(List.of("items"), ".", null, null));
    SegmentTable table =
        SegmentTable.of(Tables.offline("t").setIngestionConfig(ingestion).build(), schema);
    SegmentRows rows = table.newRows();

    int stored =
        rows.add(Tables.row("id", 7, "items", List.of(Map.of("sku", "a"), Map.of("sku", "b"))));

    assertThat(stored).isEqualTo(2);
    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.values("id")).containsExactly(7, 7);
      assertThat(segment.values("items.sku")).containsExactly("a", "b");
    }
  }

  @Test
  void javaTimesFitTimestampsAndDateTimesOfAnyFormat() throws Exception {
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("t")
            .addSingleValueDimension("instant", DataType.TIMESTAMP)
            .addSingleValueDimension("local", DataType.TIMESTAMP)
            .addSingleValueDimension("date", DataType.TIMESTAMP)
            .addMultiValueDimension("offsets", DataType.TIMESTAMP)
            .addSingleValueDimension("text", DataType.STRING)
            .addDateTime("hours", DataType.INT, "1:HOURS:EPOCH", "1:HOURS")
            .addDateTime("day", DataType.STRING, "SIMPLE_DATE_FORMAT|yyyy-MM-dd", "1:DAYS")
            .addDateTime("at", DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
            .build();
    SegmentRows rows =
        SegmentTable.of(Tables.offline("t").setTimeColumnName("at").build(), schema).newRows();
    Instant instant = Instant.ofEpochMilli(AT);
    OffsetDateTime offset = OffsetDateTime.ofInstant(instant, ZoneId.of("+02:00"));
    ZonedDateTime zoned = instant.atZone(ZoneId.of("Asia/Shanghai"));

    rows.add(
        Tables.row(
            "instant", instant,
            "local", LocalDateTime.parse("2026-01-02T03:04:05.678"),
            "date", LocalDate.parse("2026-01-02"),
            "offsets", List.of(offset, zoned),
            "text", instant,
            "hours", zoned,
            "day", offset,
            "at", instant));

    assertThat(rows.times()).isEqualTo(new Times(AT, AT));
    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.values("instant")).containsExactly(AT);
      assertThat(segment.values("local")).containsExactly(AT);
      assertThat(segment.values("date")).containsExactly(AT - AT % 86_400_000);
      assertThat(segment.values("offsets")).containsExactly(List.of(AT, AT));
      assertThat(segment.values("text")).containsExactly("2026-01-02T03:04:05.678Z");
      assertThat(segment.values("hours")).containsExactly((int) (AT / 3_600_000));
      assertThat(segment.values("day")).containsExactly("2026-01-02");
      assertThat(segment.values("at")).containsExactly(AT);
    }
  }

  @Test
  void mapsAreKept() throws Exception {
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("t")
            .addSingleValueDimension("id", DataType.INT)
            .build();
    schema.addField(
        new ComplexFieldSpec(
            "attributes",
            DataType.MAP,
            true,
            Map.of(
                ComplexFieldSpec.KEY_FIELD,
                new DimensionFieldSpec(ComplexFieldSpec.KEY_FIELD, DataType.STRING, true),
                ComplexFieldSpec.VALUE_FIELD,
                new DimensionFieldSpec(ComplexFieldSpec.VALUE_FIELD, DataType.INT, true))));
    SegmentRows rows = SegmentTable.of(Tables.offline("t").build(), schema).newRows();
    Map<String, Object> map = new LinkedHashMap<>(Map.of("a", 1, "b", 2));

    rows.add(Tables.row("id", 1, "attributes", map));
    rows.add(Tables.row("id", 2));

    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.stored("attributes")).containsExactly(map, Map.of());
    }
  }

  @Test
  void aRowWithABadTimeIsRejectedAndTheOthersMakeASegment() throws Exception {
    SegmentRows rows = Tables.everyTypeTable().newRows();
    for (Object bad : Arrays.asList(0L, -5L, 4_000_000_000_000L, "yesterday", null)) {
      assertThatThrownBy(() -> rows.add(Tables.row("i", 1, "at", bad)))
          .isInstanceOfSatisfying(
              RejectedRowException.class,
              e -> {
                assertThat(e.column()).isEqualTo("at");
                assertThat(e.reason())
                    .isEqualTo("yesterday".equals(bad) ? Reason.NOT_CONVERTIBLE : Reason.BAD_TIME);
              });
    }
    rows.add(Tables.row("i", 1, "at", AT));

    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.values("at")).containsExactly(AT);
      assertThat(segment.metadata().getStartTime()).isEqualTo(AT);
    }
  }

  @Test
  void aMissingTimeBecomesTheDefaultOfTheColumnIfThatIsATime() throws Exception {
    Schema schema = new Schema.SchemaBuilder().setSchemaName("t").build();
    schema.addField(
        new DateTimeFieldSpec(
            "day", DataType.STRING, "SIMPLE_DATE_FORMAT|yyyyMMdd", "1:DAYS", "20260102", null));
    SegmentRows rows =
        SegmentTable.of(Tables.offline("t").setTimeColumnName("day").build(), schema).newRows();

    rows.add(Tables.row("other", 1));

    assertThat(rows.times()).isEqualTo(new Times(AT - AT % 86_400_000, AT - AT % 86_400_000));
  }

  @Test
  void firstAndLastTimeAreThoseOfTheTimesNotOfTheirTexts() throws Exception {
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("t")
            .addDateTime("day", DataType.STRING, "SIMPLE_DATE_FORMAT|dd.MM.yyyy", "1:DAYS")
            .build();
    SegmentRows rows =
        SegmentTable.of(Tables.offline("t").setTimeColumnName("day").build(), schema).newRows();
    for (String day : List.of("31.01.2026", "01.02.2026", "15.12.2025")) {
      rows.add(Tables.row("day", day));
    }
    long first = Instant.parse("2025-12-15T00:00:00Z").toEpochMilli();
    long last = Instant.parse("2026-02-01T00:00:00Z").toEpochMilli();

    assertThat(rows.times()).isEqualTo(new Times(first, last));
    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.metadata().getTimeInterval().getStartMillis()).isEqualTo(first);
      assertThat(segment.metadata().getTimeInterval().getEndMillis()).isEqualTo(last);
    }
  }

  @Test
  void aRejectedRowLeavesTheBufferAsItWas() throws Exception {
    SegmentTable table = Tables.everyTypeTable();
    SegmentRows rows = table.newRows();
    rows.add(Tables.row("i", 1, "s", "a", "at", AT));
    long size = rows.sizeBytes();

    assertThatThrownBy(() -> rows.add(Tables.row("s", "b", "ts", new Object(), "at", AT)))
        .isInstanceOf(RejectedRowException.class)
        .hasMessageContaining("ts")
        .hasMessageContaining("TIMESTAMP");
    assertThatThrownBy(() -> rows.add(Tables.row("i", "x", "s", "b", "at", AT + 1)))
        .isInstanceOf(RejectedRowException.class)
        .hasMessageContaining("column \"i\": x of String");

    assertThat(rows.rows()).isEqualTo(1);
    assertThat(rows.sizeBytes()).isEqualTo(size);
    assertThat(rows.times()).isEqualTo(new Times(AT, AT));
    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.stored("s")).containsExactly("a");
      assertThat(segment.metadata().getColumnMetadataFor("s").getCardinality()).isEqualTo(1);
    }
  }

  @Test
  void aTooLongValueIsRejectedWhereTheColumnSaysSo() throws Exception {
    Schema schema = new Schema.SchemaBuilder().setSchemaName("t").build();
    DimensionFieldSpec strict = new DimensionFieldSpec("s", DataType.STRING, true);
    strict.setMaxLength(3);
    strict.setMaxLengthExceedStrategy(MaxLengthExceedStrategy.ERROR);
    schema.addField(strict);
    schema.addField(new DimensionFieldSpec("b", DataType.BYTES, true));
    SegmentRows rows = SegmentTable.of(Tables.offline("t").build(), schema).newRows();

    assertThatThrownBy(() -> rows.add(Tables.row("s", "four")))
        .isInstanceOfSatisfying(
            RejectedRowException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
    assertThatThrownBy(() -> rows.add(Tables.row("b", new byte[BytePages.MAX_LENGTH + 1])))
        .isInstanceOfSatisfying(
            RejectedRowException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
    rows.add(Tables.row("s", "abc", "b", new byte[1 << 20]));
    assertThat(rows.rows()).isEqualTo(1);
  }

  @Test
  void withContinueOnErrorAnUnconvertibleValueIsNull() throws Exception {
    IngestionConfig ingestion = new IngestionConfig();
    ingestion.setContinueOnError(true);
    TableConfig config =
        Tables.offline("every").setTimeColumnName("at").setIngestionConfig(ingestion).build();
    SegmentRows rows = SegmentTable.of(config, Tables.everyType()).newRows();

    rows.add(Tables.row("i", "x", "at", AT));

    try (LoadedSegment segment = load(rows)) {
      assertThat(segment.values("i")).containsExactly((Object) null);
    }
  }

  private LoadedSegment load(SegmentRows rows) throws Exception {
    return LoadedSegment.of(new SegmentBuilder().build(rows, Tables.identity("segment_1"), work));
  }
}

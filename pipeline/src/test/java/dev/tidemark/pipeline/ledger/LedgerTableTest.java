package dev.tidemark.pipeline.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeImages;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.ColumnType.Kind;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.sink.RowDataTaskWriterFactory;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.TaskWriter;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** The rows through a real Iceberg table with real Parquet files. */
@NullUnmarked
class LedgerTableTest {
  @Test
  void theCapturedStreamFoldsToTheSameStateFromTheTableAsFromTheRows() throws Exception {
    LedgerSchema schema = LedgerRowMapperTest.ORDERS;
    LedgerRowMapper mapper =
        new LedgerRowMapper(schema, ChangeEventTime.of("created", EventTimeUnit.ISO_8601));
    List<RowData> rows = new ArrayList<>();
    for (ChangeEvent event : Captured.events(Captured.PLAIN, Captured.declared())) {
      if (event.table().equals(schema.table())) {
        rows.add(mapper.map(event));
      }
    }
    List<Record> read = writtenAndRead(schema, rows);
    assertThat(read).hasSize(rows.size());
    Map<List<Object>, FoldedRow> fromTable =
        LedgerFold.fold(read.stream().map(r -> LedgerRow.of(schema, r)).toList());
    Map<List<Object>, FoldedRow> fromRows =
        LedgerFold.fold(rows.stream().map(r -> LedgerRow.of(schema, r)).toList());
    assertThat(fromTable).isEqualTo(fromRows).hasSize(5);
    Record alice =
        read.stream()
            .filter(r -> r.getField("op").equals("D") && r.getField("id").equals(1L))
            .findFirst()
            .get();
    assertThat(alice.getField("cdc_event_time"))
        .isEqualTo(OffsetDateTime.parse("2024-02-29T23:59:59.123456Z"));
    assertThat((String) alice.getField("before_image"))
        .contains("\"big\":\"1234567890123456789012345678.0123456789\"");
  }

  @Test
  void aTruncateLiesInThePartitionOfNullHours() throws Exception {
    LedgerSchema schema = LedgerRowMapperTest.ORDERS;
    ChangeEvent some = Captured.events(Captured.PLAIN, Captured.declared()).get(5);
    ChangeEvent truncate =
        new ChangeEvent(
            Operation.TRUNCATE, schema.table(), ChangeImages.none(), some.origin(), false);
    RowData row =
        new LedgerRowMapper(schema, ChangeEventTime.of("created", EventTimeUnit.ISO_8601))
            .map(truncate);
    Record read = writtenAndRead(schema, List.of(row)).get(0);
    assertThat(read.getField("cdc_event_time")).isNull();
    assertThat(read.getField("id")).isNull();
    assertThat(read.getField("op")).isEqualTo("T");
  }

  @Test
  void keysOfEveryTypeComeBackExactly() throws Exception {
    Map<String, Object> key = new LinkedHashMap<>();
    List<Column> columns = new ArrayList<>();
    add(key, columns, "b", ColumnType.of(Kind.BOOLEAN), true);
    add(key, columns, "i", ColumnType.of(Kind.INT16), -5L);
    add(key, columns, "l", ColumnType.of(Kind.INT64), Long.MIN_VALUE);
    add(key, columns, "u", ColumnType.of(Kind.UINT64), new BigDecimal("18446744073709551615"));
    add(key, columns, "d", ColumnType.decimal(12, 2), new BigDecimal("-0.01"));
    add(
        key,
        columns,
        "w",
        ColumnType.decimal(65, 30),
        new BigDecimal("1.000000000000000000000000000001"));
    add(key, columns, "v", ColumnType.of(Kind.VARIABLE_DECIMAL), new BigDecimal("1.20"));
    add(key, columns, "f", ColumnType.of(Kind.FLOAT), 1.5f);
    add(key, columns, "g", ColumnType.of(Kind.DOUBLE), 0.1);
    add(key, columns, "s", ColumnType.of(Kind.STRING), "é🎉");
    add(key, columns, "y", ColumnType.of(Kind.BYTES), ByteBuffer.wrap(new byte[] {0, -1}));
    add(key, columns, "day", ColumnType.of(Kind.DATE), LocalDate.parse("1969-12-31"));
    add(key, columns, "t", ColumnType.of(Kind.TIME_MICROS), Duration.ofHours(-26));
    add(
        key,
        columns,
        "dt",
        ColumnType.of(Kind.DATETIME_MICROS),
        LocalDateTime.parse("1969-12-31T23:59:59.999999"));
    add(
        key,
        columns,
        "ts",
        ColumnType.of(Kind.INSTANT),
        Instant.parse("2024-01-01T00:00:00.000001Z"));
    ChangeEvent some = Captured.events(Captured.PLAIN, Captured.declared()).get(0);
    RowImage image = RowImage.of(key);
    ChangeEvent event =
        new ChangeEvent(
            Operation.INSERT,
            some.table(),
            new ChangeImages(image, null, image, null, null),
            some.origin(),
            false);
    LedgerSchema schema = LedgerSchema.of(some.table(), columns);
    RowData row = new LedgerRowMapper(schema, ChangeEventTime.sourceTime()).map(event);
    Record read = writtenAndRead(schema, List.of(row)).get(0);
    List<Object> values = new ArrayList<>();
    columns.forEach(c -> values.add(read.getField(c.name())));
    assertThat(values)
        .containsExactly(
            true,
            -5,
            Long.MIN_VALUE,
            new BigDecimal("18446744073709551615"),
            new BigDecimal("-0.01"),
            "1.000000000000000000000000000001",
            "1.20",
            1.5f,
            0.1,
            "é🎉",
            ByteBuffer.wrap(new byte[] {0, -1}),
            LocalDate.parse("1969-12-31"),
            "-26:00:00",
            LocalDateTime.parse("1969-12-31T23:59:59.999999"),
            OffsetDateTime.parse("2024-01-01T00:00:00.000001Z"));
  }

  private static void add(
      Map<String, Object> key, List<Column> columns, String name, ColumnType type, Object value) {
    key.put(name, value);
    columns.add(Column.required(name, type));
  }

  private static List<Record> writtenAndRead(LedgerSchema schema, List<RowData> rows)
      throws Exception {
    try (InMemoryCatalog catalog = new InMemoryCatalog()) {
      catalog.initialize("memory", Map.of());
      catalog.createNamespace(Namespace.of("db"));
      Table table =
          catalog.createTable(
              TableIdentifier.of("db", "ledger"), schema.schema(), schema.partitionSpec(4));
      append(table, schema, rows);
      List<Record> read = new ArrayList<>();
      try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
        records.forEach(read::add);
      }
      return read;
    }
  }

  private static void append(Table table, LedgerSchema schema, List<RowData> rows)
      throws Exception {
    RowDataTaskWriterFactory factory =
        new RowDataTaskWriterFactory(
            table, schema.rowType(), 1L << 27, FileFormat.PARQUET, Map.of(), null, false);
    factory.initialize(0, 1);
    AppendFiles append = table.newAppend();
    try (TaskWriter<RowData> writer = factory.create()) {
      for (RowData row : rows) {
        writer.write(row);
      }
      for (DataFile file : writer.dataFiles()) {
        append.appendFile(file);
      }
    }
    append.commit();
  }
}

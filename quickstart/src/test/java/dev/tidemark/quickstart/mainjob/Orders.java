package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.TableSchema;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/** A table whose types are those that go wrong: in MariaDB, in the ledger, in the base table. */
final class Orders {
  static final TableId TABLE = new TableId("shop", "orders");

  static final String CREATE =
      """
      CREATE TABLE shop.orders (
        id BIGINT NOT NULL PRIMARY KEY,
        state CHAR(8) NOT NULL,
        note VARCHAR(100),
        amount DECIMAL(12, 3) NOT NULL,
        units INT UNSIGNED NOT NULL,
        serial BIGINT UNSIGNED NOT NULL,
        gift TINYINT(1) NOT NULL,
        weight DOUBLE,
        due DATE,
        placed DATETIME(6) NOT NULL,
        touched TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
        photo VARBINARY(8))
      """;

  /** As Debezium writes it. */
  static final TableSchema SCHEMA =
      TableSchema.of(
          Column.required("id", ColumnType.of(ColumnType.Kind.INT64)),
          Column.required("state", ColumnType.of(ColumnType.Kind.STRING)),
          Column.optional("note", ColumnType.of(ColumnType.Kind.STRING)),
          Column.required("amount", ColumnType.decimalText(12, 3)),
          Column.required("units", ColumnType.of(ColumnType.Kind.INT64)),
          Column.required("serial", ColumnType.decimal(20, 0)),
          Column.required("gift", ColumnType.of(ColumnType.Kind.INT16)),
          Column.optional("weight", ColumnType.of(ColumnType.Kind.DOUBLE)),
          Column.optional("due", ColumnType.of(ColumnType.Kind.DATE)),
          Column.required("placed", ColumnType.of(ColumnType.Kind.DATETIME_MICROS)),
          Column.required("touched", ColumnType.of(ColumnType.Kind.INSTANT)),
          Column.optional("photo", ColumnType.of(ColumnType.Kind.BYTES)));

  static final LedgerSchema LEDGER =
      LedgerSchema.of(TABLE, List.of(SCHEMA.column("id").orElseThrow()));

  static final Schema BASE =
      new Schema(
          NestedField.optional(1, "id", Types.LongType.get()),
          NestedField.optional(2, "state", Types.StringType.get()),
          NestedField.optional(3, "note", Types.StringType.get()),
          NestedField.optional(4, "amount", Types.DecimalType.of(12, 3)),
          NestedField.optional(5, "units", Types.LongType.get()),
          NestedField.optional(6, "serial", Types.DecimalType.of(20, 0)),
          NestedField.optional(7, "gift", Types.IntegerType.get()),
          NestedField.optional(8, "weight", Types.DoubleType.get()),
          NestedField.optional(9, "due", Types.DateType.get()),
          NestedField.optional(10, "placed", Types.TimestampType.withoutZone()),
          NestedField.optional(11, "touched", Types.TimestampType.withZone()),
          NestedField.optional(12, "photo", Types.BinaryType.get()),
          NestedField.optional(13, "cdc_ord", Types.StringType.get()),
          NestedField.optional(14, "cdc_source_time", Types.TimestampType.withZone()),
          NestedField.optional(15, "cdc_deleted", Types.BooleanType.get()));

  private static final int COLUMNS = 12;

  private Orders() {}

  static PartitionSpec partitionSpec(int buckets) {
    return PartitionSpec.builderFor(BASE).bucket("id", buckets).build();
  }

  /** All rows of MariaDB by id, times in UTC. */
  static SortedMap<Long, List<@Nullable Object>> rows(Connection database) throws SQLException {
    SortedMap<Long, List<@Nullable Object>> rows = new TreeMap<>();
    try (Statement statement = database.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      try (ResultSet row = statement.executeQuery("SELECT * FROM " + TABLE)) {
        while (row.next()) {
          rows.put(row.getLong("id"), values(row));
        }
      }
    }
    return rows;
  }

  private static List<@Nullable Object> values(ResultSet row) throws SQLException {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(row.getString("state"));
    values.add(row.getString("note"));
    values.add(row.getBigDecimal("amount"));
    values.add(row.getLong("units"));
    values.add(new BigDecimal(row.getString("serial")));
    values.add(row.getInt("gift"));
    String weight = row.getString("weight");
    values.add(weight == null ? null : Double.valueOf(weight));
    Date due = row.getDate("due");
    values.add(due == null ? null : due.toLocalDate());
    values.add(row.getObject("placed", LocalDateTime.class));
    values.add(row.getObject("touched", LocalDateTime.class));
    byte[] photo = row.getBytes("photo");
    values.add(photo == null ? null : ByteBuffer.wrap(photo));
    return values;
  }

  /**
   * All rows of the base table by id that are not deleted, as those of MariaDB.
   *
   * @throws AssertionError if an id is there twice
   */
  static SortedMap<Long, List<@Nullable Object>> rows(Table base) throws IOException {
    base.refresh();
    SortedMap<Long, List<@Nullable Object>> rows = new TreeMap<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(base).where(Expressions.equal("cdc_deleted", false)).build()) {
      for (Record row : records) {
        List<@Nullable Object> values = new ArrayList<>();
        for (NestedField field : BASE.columns().subList(1, COLUMNS)) {
          Object value = row.getField(field.name());
          values.add(value instanceof OffsetDateTime time ? time.toLocalDateTime() : value);
        }
        Long id = (Long) row.getField("id");
        List<@Nullable Object> other = rows.put(id, values);
        if (other != null) {
          throw new AssertionError(
              "%s: id %d is there twice (expected: once): %s and %s"
                  .formatted(base.name(), id, other, values));
        }
      }
    }
    return rows;
  }
}

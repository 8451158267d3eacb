package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pipeline.json.JsonText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** The base table of the flights: the source's columns, and those that the merge keeps. */
final class BaseTable {
  static final TableIdentifier TABLE = TableIdentifier.of("air", "flights");

  static final Schema SCHEMA =
      new Schema(
          NestedField.optional(1, "id", Types.IntegerType.get()),
          NestedField.optional(2, "departure", Types.TimestampType.withoutZone()),
          NestedField.optional(3, "delay_minutes", Types.IntegerType.get()),
          NestedField.optional(4, "distance_miles", Types.IntegerType.get()),
          NestedField.optional(5, "origin", Types.StringType.get()),
          NestedField.optional(6, "destination", Types.StringType.get()),
          NestedField.optional(7, "cdc_ord", Types.StringType.get()),
          NestedField.optional(8, "cdc_source_time", Types.TimestampType.withZone()),
          NestedField.optional(9, "cdc_deleted", Types.BooleanType.get()));

  private static final int SOURCE_COLUMNS = 6;

  private BaseTable() {}

  /** Bucketed as the ledger is, so that the merge needs no shuffle. */
  static PartitionSpec partitionSpec(int buckets) {
    return PartitionSpec.builderFor(SCHEMA).bucket("id", buckets).build();
  }

  /**
   * All rows by id that are not deleted, as {@link FlightDatabase#rows} has them.
   *
   * @throws IllegalStateException if an id is there twice
   */
  static SortedMap<Integer, String> rows(Table base) throws IOException {
    base.refresh();
    SortedMap<Integer, String> rows = new TreeMap<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(base).where(Expressions.equal("cdc_deleted", false)).build()) {
      for (Record row : records) {
        Integer id = (Integer) row.getField("id");
        String json = json(row);
        String other = rows.put(id, json);
        if (other != null) {
          throw new IllegalStateException(
              "Cannot compare %s: id %d is there twice (expected: once): %s and %s"
                  .formatted(base.name(), id, other, json));
        }
      }
    }
    return rows;
  }

  private static String json(Record row) {
    Map<String, Object> columns = new LinkedHashMap<>();
    for (NestedField field : SCHEMA.columns().subList(0, SOURCE_COLUMNS)) {
      Object value = row.getField(field.name());
      columns.put(field.name(), value instanceof Integer number ? number.longValue() : value);
    }
    return JsonText.of(columns);
  }
}

package dev.tidemark.pipeline.ledger;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.data.Record;
import org.jspecify.annotations.Nullable;

/**
 * What the fold needs of a row of the ledger.
 *
 * @param key the values of the key columns, comparable with those of rows read the same way; null
 *     for TRUNCATE and for a ledger without a key
 * @param before canonical JSON; null when there was no row
 * @param after canonical JSON; null when there is no row
 * @param cdcOrd the total order
 * @param keyChanged whether it is half of a changed primary key
 */
public record LedgerRow(
    Operation operation,
    @Nullable List<Object> key,
    @Nullable String before,
    @Nullable String after,
    String cdcOrd,
    boolean keyChanged) {
  public LedgerRow {
    requireNonNull(operation, "operation is null");
    requireNonNull(cdcOrd, "cdcOrd is null");
    key = key == null ? null : List.copyOf(key);
  }

  /** A row that Iceberg's generic reader read. */
  public static LedgerRow of(LedgerSchema schema, Record row) {
    List<Object> key = new ArrayList<>();
    for (KeyColumn column : schema.key()) {
      addKnown(key, row.getField(column.name()));
    }
    return new LedgerRow(
        Operation.ofCode((String) row.getField(LedgerSchema.OP)),
        key.isEmpty() ? null : key,
        (String) row.getField(LedgerSchema.BEFORE_IMAGE),
        (String) row.getField(LedgerSchema.AFTER_IMAGE),
        (String) row.getField(LedgerSchema.CDC_ORD),
        Boolean.TRUE.equals(row.getField(LedgerSchema.KEY_CHANGED)));
  }

  /** A row as {@link LedgerRowMapper} made it. */
  public static LedgerRow of(LedgerSchema schema, RowData row) {
    RowType type = schema.rowType();
    List<Object> key = new ArrayList<>();
    int position = 4;
    for (int i = 0; i < schema.key().size(); i++) {
      Object value =
          RowData.createFieldGetter(type.getTypeAt(position), position).getFieldOrNull(row);
      addKnown(key, value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value);
      position++;
    }
    return new LedgerRow(
        Operation.ofCode(row.getString(2).toString()),
        key.isEmpty() ? null : key,
        text(row, position),
        text(row, position + 1),
        row.getString(position + 2).toString(),
        !row.isNullAt(position + 8) && row.getBoolean(position + 8));
  }

  private static void addKnown(List<Object> key, @Nullable Object value) {
    if (value != null) {
      key.add(value);
    }
  }

  private static @Nullable String text(RowData row, int position) {
    return row.isNullAt(position) ? null : row.getString(position).toString();
  }
}

package dev.tidemark.pinot.flink.sql;

import dev.tidemark.finalization.eventtime.RecordRole;
import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** Which boolean columns of a row say what it is; null where none does. Immutable. */
record EventTimeRoles(@Nullable Integer snapshot, @Nullable Integer backfill)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * The columns of these names.
   *
   * @throws IllegalArgumentException if there is no such column, or it is not BOOLEAN
   */
  static EventTimeRoles of(RowType rows, @Nullable String snapshot, @Nullable String backfill) {
    return new EventTimeRoles(position(rows, snapshot), position(rows, backfill));
  }

  RecordRole of(RowData row) {
    if (isTrue(row, snapshot)) {
      return RecordRole.SNAPSHOT;
    }
    return isTrue(row, backfill) ? RecordRole.BACKFILL : RecordRole.STREAM;
  }

  private static boolean isTrue(RowData row, @Nullable Integer position) {
    return position != null && !row.isNullAt(position) && row.getBoolean(position);
  }

  private static @Nullable Integer position(RowType rows, @Nullable String column) {
    if (column == null) {
      return null;
    }
    int position = rows.getFieldIndex(column);
    if (position < 0 || rows.getTypeAt(position).getTypeRoot() != LogicalTypeRoot.BOOLEAN) {
      throw new IllegalArgumentException(
          "no BOOLEAN column \"%s\" in %s".formatted(column, rows.asSummaryString()));
    }
    return position;
  }
}

package dev.tidemark.pinot.row;

import dev.tidemark.pinot.segment.RejectedRowException;
import dev.tidemark.pinot.segment.SegmentTable;
import java.io.Serializable;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * What a table stores for a change. On an upsert table with a delete column a deletion, and the
 * retraction that comes before an update, become tombstones: rows of that key whose delete column
 * is true. A retraction needs one because the update behind it may bear another key. Immutable.
 */
public final class Tombstones implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String table;
  private final boolean isUpsert;
  private final @Nullable String deleteColumn;

  private Tombstones(String table, boolean isUpsert, @Nullable String deleteColumn) {
    this.table = table;
    this.isUpsert = isUpsert;
    this.deleteColumn = deleteColumn;
  }

  /** For this table. */
  public static Tombstones of(SegmentTable table) {
    return new Tombstones(
        table.table().nameWithType(),
        table.tableConfig().isUpsertEnabled(),
        table.deleteRecordColumn());
  }

  /**
   * The row to store for a change; may be the given one, changed.
   *
   * @return null if there is nothing to store: a retraction on an upsert table without a delete
   *     column, which the update behind it covers unless it bears another key
   * @throws RejectedRowException if the table cannot take such a change
   */
  public @Nullable GenericRow rowFor(RowKind kind, GenericRow row) throws RejectedRowException {
    if (kind == RowKind.INSERT || (kind == RowKind.UPDATE_AFTER && isUpsert)) {
      return row;
    }
    if (!isUpsert) {
      throw refused(kind, "it keeps every row it is given (expected: a table with upsert)");
    }
    if (deleteColumn != null) {
      row.putValue(deleteColumn, true);
      return row;
    }
    if (kind == RowKind.DELETE) {
      throw refused(
          kind, "it has no delete column (expected: upsertConfig.deleteRecordColumn names one)");
    }
    return null;
  }

  private RejectedRowException refused(RowKind kind, String why) {
    return RejectedRowException.changeRefused(
        "Cannot store a change of kind " + kind + " in table " + table + ": " + why);
  }
}

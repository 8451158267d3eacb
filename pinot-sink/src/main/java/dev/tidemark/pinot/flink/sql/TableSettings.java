package dev.tidemark.pinot.flink.sql;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.segment.SegmentTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;

/**
 * A table as Pinot has it and as Flink sees it.
 *
 * @param table its name and type
 * @param config its config in Pinot, not to be changed
 * @param schema its schema in Pinot, not to be changed
 * @param rows its columns in Flink
 */
record TableSettings(PinotTable table, TableConfig config, Schema schema, RowType rows) {

  /**
   * Compares both.
   *
   * @param primaryKey as declared in Flink; empty without one
   * @throws ValidationException if they do not fit
   */
  void check(List<String> primaryKey) {
    SegmentTable segments = segments();
    checkPrimaryKey(segments, primaryKey);
    List<String> needed = new ArrayList<>();
    if (config.isUpsertEnabled()) {
      needed.addAll(segments.primaryKeyColumns());
      needed.addAll(segments.comparisonColumns());
    }
    if (segments.timeColumn() != null) {
      needed.add(segments.timeColumn());
    }
    new ColumnTypes(table, config, schema).check(rows, needed);
  }

  /** What changes the table can take. */
  ChangelogMode changes() {
    if (!config.isUpsertEnabled()) {
      return ChangelogMode.insertOnly();
    }
    ChangelogMode.Builder changes =
        ChangelogMode.newBuilder()
            .addContainedKind(RowKind.INSERT)
            .addContainedKind(RowKind.UPDATE_AFTER);
    if (segments().deleteRecordColumn() != null) {
      // Whole rows, never keys alone: a tombstone needs a comparison value to win.
      changes.addContainedKind(RowKind.DELETE);
    }
    return changes.build();
  }

  /** The primary key in Pinot. */
  List<String> primaryKeyColumns() {
    return segments().primaryKeyColumns();
  }

  private void checkPrimaryKey(SegmentTable segments, List<String> declared) {
    List<String> inPinot = config.isUpsertEnabled() ? segments.primaryKeyColumns() : List.of();
    if (new HashSet<>(declared).equals(new HashSet<>(inPinot))) {
      return;
    }
    throw new ValidationException(
        "Invalid primary key of table %s: %s (expected: %s)"
            .formatted(
                table,
                declared.isEmpty() ? "none" : declared,
                inPinot.isEmpty()
                    ? "none, since the table keeps every row it is given"
                    : "PRIMARY KEY (%s) NOT ENFORCED, as its upsert goes by in Pinot"
                        .formatted(String.join(", ", inPinot))));
  }

  private SegmentTable segments() {
    try {
      return SegmentTable.of(config, schema);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
    }
  }
}

package dev.tidemark.pinot.segment;

import org.jspecify.annotations.Nullable;

/** Walks over the values of a column, one row after the other, as Pinot's objects. */
final class RowValues {
  private final ColumnBuffer column;
  private final @Nullable IntValues counts;
  private int row;
  private int value;

  RowValues(ColumnBuffer column) {
    this.column = column;
    this.counts = column.counts();
  }

  /** The value of the next row: an {@code Object[]} in a column of several values. */
  Object next() {
    if (counts == null) {
      return column.value(row++);
    }
    Object[] several = new Object[counts.get(row++)];
    for (int i = 0; i < several.length; i++) {
      several[i] = column.value(value++);
    }
    return several;
  }
}

package dev.tidemark.pinot.segment;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * Takes the values of the columns out of rows. Rows that were made alike have their fields in the
 * same order, so the place of each column is remembered from row to row instead of looked up. Used
 * by one thread.
 */
final class RowLayout {
  private static final int ABSENT = -1;

  private final Map<String, Integer> columns = new HashMap<>();
  private @Nullable String[] fields = new String[0];
  private int[] columnOfField = new int[0];

  RowLayout(ColumnIntake[] intakes) {
    for (int i = 0; i < intakes.length; i++) {
      columns.put(intakes[i].name(), i);
    }
  }

  /** Puts the value of each column at its place; null for a column that the row lacks. */
  void take(GenericRow row, @Nullable Object[] values) {
    Arrays.fill(values, null);
    Map<String, Object> map = row.getFieldToValueMap();
    if (fields.length < map.size()) {
      fields = Arrays.copyOf(fields, map.size());
      columnOfField = Arrays.copyOf(columnOfField, map.size());
    }
    int field = 0;
    for (Map.Entry<String, Object> entry : map.entrySet()) {
      int column = column(field++, entry.getKey());
      if (column != ABSENT) {
        values[column] = entry.getValue();
      }
    }
  }

  /** Two names that are the same object are equal; anything else is looked up. */
  @SuppressWarnings("ReferenceEquality")
  private int column(int field, String name) {
    if (fields[field] == name) {
      return columnOfField[field];
    }
    int column = columns.getOrDefault(name, ABSENT);
    fields[field] = name;
    columnOfField[field] = column;
    return column;
  }
}

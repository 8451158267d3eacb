package dev.tidemark.benchmarks;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A row whose fields are objects, in the manner of Flink's {@code GenericRowData}. */
final class GenericRow {
  private final @Nullable Object[] fields;

  private GenericRow(@Nullable Object... fields) {
    this.fields = fields;
  }

  static GenericRow[] allAt(long[] departuresMillis) {
    return Arrays.stream(departuresMillis).mapToObj(GenericRow::at).toArray(GenericRow[]::new);
  }

  private static GenericRow at(long departureMillis) {
    return new GenericRow("OAK", departureMillis * 1_000, departureMillis & 0x3FF);
  }

  private boolean isNullAt(int position) {
    return fields[position] == null;
  }

  private long getLong(int position) {
    return (Long) Objects.requireNonNull(fields[position]);
  }

  /** Reads a column by its position. */
  static final class Column implements EventTimeExtractor<GenericRow> {
    private static final long serialVersionUID = 1L;
    private final int position;

    Column(int position) {
      this.position = position;
    }

    @Override
    public boolean hasEventTime(GenericRow row) {
      return !row.isNullAt(position);
    }

    @Override
    public long eventTimeMillis(GenericRow row) {
      return Math.floorDiv(row.getLong(position), 1_000L);
    }
  }
}

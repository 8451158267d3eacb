package dev.tidemark.finalization.accumulator;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The range of any column that reads as a long: the smallest useful accumulator beside event time,
 * and the example to start from when writing one. The store keeps {@code
 * tidemark.range.<column>.{count,null-count,min,max}}; min and max are absent when there was no
 * value.
 *
 * <pre>{@code
 * new LongRangeAccumulatorFactory<RowData>("distance", row -> row.isNullAt(3) ? null : row.getLong(3))
 * }</pre>
 *
 * @param <T> the record
 */
public final class LongRangeAccumulatorFactory<T> implements AccumulatorFactory<T, LongRange> {
  private static final long serialVersionUID = 1L;

  /**
   * Reads the column.
   *
   * @param <T> the record
   */
  @FunctionalInterface
  public interface Column<T> extends Serializable {
    /** The value, or null. */
    @Nullable Long valueOf(T record);
  }

  private final String column;
  private final Column<T> reader;

  /**
   * @param column the name under which the range is kept
   * @param reader reads the column of one record
   */
  public LongRangeAccumulatorFactory(String column, Column<T> reader) {
    this.column = Objects.requireNonNull(column, "column is null");
    this.reader = Objects.requireNonNull(reader, "reader is null");
  }

  @Override
  public String name() {
    return "range." + column;
  }

  @Override
  public Accumulator<T, LongRange> create() {
    return new RangeAccumulator<>(reader);
  }

  @Override
  public SnapshotCodec<LongRange> codec() {
    return new LongRange.Codec();
  }

  @Override
  public LongRange merge(List<LongRange> parts) {
    return LongRange.merge(parts);
  }

  @Override
  public Map<String, String> properties(LongRange merged) {
    String prefix = "tidemark.range." + column + ".";
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(prefix + "count", Long.toString(merged.count()));
    properties.put(prefix + "null-count", Long.toString(merged.nullCount()));
    if (merged.count() > 0) {
      properties.put(prefix + "min", Long.toString(merged.min()));
      properties.put(prefix + "max", Long.toString(merged.max()));
    }
    return properties;
  }

  private static final class RangeAccumulator<T> implements Accumulator<T, LongRange> {
    private final Column<T> reader;
    private long count;
    private long nullCount;
    private long min = LongRange.EMPTY.min();
    private long max = LongRange.EMPTY.max();

    RangeAccumulator(Column<T> reader) {
      this.reader = reader;
    }

    @Override
    public void add(T record) {
      Long value = reader.valueOf(record);
      if (value == null) {
        nullCount++;
        return;
      }
      count++;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }

    @Override
    public LongRange snapshot() {
      return new LongRange(count, nullCount, min, max);
    }

    @Override
    public void reset() {
      count = 0;
      nullCount = 0;
      min = LongRange.EMPTY.min();
      max = LongRange.EMPTY.max();
    }
  }
}

package dev.tidemark.pinot.segment;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.pinot.segment.spi.creator.ColumnIndexCreationInfo;
import org.apache.pinot.segment.spi.creator.ColumnStatistics;
import org.apache.pinot.segment.spi.creator.StatsCollectorConfig;
import org.apache.pinot.segment.spi.partition.PartitionFunction;
import org.apache.pinot.segment.spi.partition.PartitionFunctionFactory;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.utils.ByteArray;
import org.jspecify.annotations.Nullable;

/**
 * Pinot's statistics of one column, without the distinct values themselves. Pinot asks for the
 * statistics of all columns before the first one is indexed but reads them later, so they are set
 * when the column is built.
 */
final class ColumnSummary implements ColumnStatistics {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable PartitionFunction partitioning;
  private final int partitionCount;
  private final @Nullable Map<String, String> partitionConfig;
  private final @Nullable HashSet<Integer> partitions;
  private transient @Nullable Figures figures;

  /**
   * What was found in a column.
   *
   * @param min in Pinot's form: bytes as {@link ByteArray}
   * @param max as {@code min}
   * @param lengths of byte strings; null in a column of numbers
   */
  record Figures(
      Object min,
      Object max,
      int cardinality,
      boolean isSorted,
      Entries entries,
      @Nullable Lengths lengths) {}

  /**
   * @param total values of all rows
   * @param mostInRow of a column of several values; else 0
   */
  record Entries(int total, int mostInRow) {}

  /**
   * @param shortest -1 for text, as Pinot's own statistics have it
   * @param longestRow all values of a row together
   */
  record Lengths(int shortest, int longest, int longestRow) {}

  ColumnSummary(String column, StatsCollectorConfig config) {
    String function = config.getPartitionFunctionName(column);
    this.partitionCount = config.getNumPartitions(column);
    this.partitionConfig = config.getPartitionFunctionConfig(column);
    this.partitioning =
        function == null
            ? null
            : PartitionFunctionFactory.getPartitionFunction(
                function, partitionCount, partitionConfig);
    this.partitions = function == null ? null : new HashSet<>();
  }

  void set(Figures found) {
    this.figures = found;
  }

  /** Whether values have to be given to {@link #addPartitionOf}. */
  boolean hasPartitions() {
    return partitioning != null;
  }

  void addPartitionOf(Object value) {
    Objects.requireNonNull(partitions)
        .add(Objects.requireNonNull(partitioning).getPartition(value.toString()));
  }

  /** What Pinot's creators are given; the summary is read through it once it is set. */
  ColumnIndexCreationInfo info(FieldSpec spec) {
    Object defaultValue = spec.getDefaultNullValue();
    return new Info(
        this, defaultValue instanceof byte[] bytes ? new ByteArray(bytes) : defaultValue);
  }

  private static final class Info extends ColumnIndexCreationInfo {
    private static final long serialVersionUID = 1L;

    private final ColumnSummary summary;

    Info(ColumnSummary summary, Object defaultValue) {
      super(summary, true, false, false, defaultValue);
      this.summary = summary;
    }

    @Override
    public int getDistinctValueCount() {
      return summary.getCardinality();
    }

    @Override
    @SuppressWarnings("NullAway") // Pinot returns null, unmarked
    public @Nullable Object getSortedUniqueElementsArray() {
      return null;
    }
  }

  private Figures figures() {
    return Objects.requireNonNull(figures, "the column was not built yet");
  }

  @Override
  public Object getMinValue() {
    return figures().min;
  }

  @Override
  public Object getMaxValue() {
    return figures().max;
  }

  @Override
  public Object getUniqueValuesSet() {
    throw new UnsupportedOperationException("The distinct values are not kept");
  }

  @Override
  public int getCardinality() {
    return figures().cardinality;
  }

  @Override
  public int getLengthOfShortestElement() {
    Lengths lengths = figures().lengths;
    return lengths == null ? -1 : lengths.shortest;
  }

  @Override
  public int getLengthOfLargestElement() {
    Lengths lengths = figures().lengths;
    return lengths == null ? -1 : lengths.longest;
  }

  @Override
  public int getMaxRowLengthInBytes() {
    Lengths lengths = figures().lengths;
    return lengths == null ? -1 : lengths.longestRow;
  }

  @Override
  public boolean isSorted() {
    return figures().isSorted;
  }

  @Override
  public int getTotalNumberOfEntries() {
    return figures().entries.total;
  }

  @Override
  public int getMaxNumberOfMultiValues() {
    return figures().entries.mostInRow;
  }

  @Override
  @SuppressWarnings("NullAway") // Pinot returns null, unmarked
  public @Nullable PartitionFunction getPartitionFunction() {
    return partitioning;
  }

  @Override
  public int getNumPartitions() {
    return partitionCount;
  }

  @Override
  @SuppressWarnings("NullAway") // Pinot returns null, unmarked
  public @Nullable Map<String, String> getPartitionFunctionConfig() {
    return partitionConfig;
  }

  @Override
  @SuppressWarnings("NullAway") // Pinot returns null, unmarked
  public @Nullable Set<Integer> getPartitions() {
    return partitions;
  }
}

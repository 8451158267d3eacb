package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.segment.ColumnSummary.Entries;
import dev.tidemark.pinot.segment.ColumnSummary.Figures;
import dev.tidemark.pinot.segment.ColumnSummary.Lengths;
import java.io.File;
import java.io.IOException;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentDictionaryCreator;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.utils.ByteArray;
import org.jspecify.annotations.Nullable;

/**
 * The distinct values of one column, and what Pinot wants to know about it, without making an
 * object of every value.
 */
final class ColumnBuild {
  private final ColumnBuffer column;
  private final @Nullable Ranking ranking;
  private final Figures figures;

  private ColumnBuild(ColumnBuffer column, @Nullable Ranking ranking, Figures figures) {
    this.column = column;
    this.ranking = ranking;
    this.figures = figures;
  }

  /** Whether this code can build columns of this type. */
  static boolean canBuild(DataType storedType) {
    return switch (storedType) {
      case INT, LONG, FLOAT, DOUBLE, STRING, BYTES -> true;
      default -> false;
    };
  }

  /** Ranks the values, for a dictionary. */
  static ColumnBuild ranked(ColumnBuffer column) {
    Ranking ranking =
        column.isNumeric()
            ? Ranking.ofNumbers(orderKeys(column))
            : ByteRanking.of(column.bytes(), isText(column));
    int last = ranking.cardinality() - 1;
    Figures figures =
        new Figures(
            valueOfEntry(column, ranking.entryOf()[0]),
            valueOfEntry(column, ranking.entryOf()[last]),
            ranking.cardinality(),
            column.counts() == null && isSorted(column, ranking),
            entries(column),
            lengths(column));
    return new ColumnBuild(column, ranking, figures);
  }

  /** Looks at the values without ranking them, for a column without a dictionary. */
  static ColumnBuild raw(ColumnBuffer column) {
    return column.isNumeric() ? rawNumbers(column) : rawBytes(column);
  }

  Figures figures() {
    return figures;
  }

  @Nullable Ranking ranking() {
    return ranking;
  }

  /** Tells the summary which partitions the values belong to, if it wants to know. */
  void addPartitions(ColumnSummary summary) {
    if (!summary.hasPartitions() || column.counts() != null) {
      return;
    }
    if (ranking != null) {
      for (int entry : ranking.entryOf()) {
        summary.addPartitionOf(valueOfEntry(column, entry));
      }
    } else {
      for (int i = 0; i < column.valueCount(); i++) {
        summary.addPartitionOf(pinotForm(column.value(i)));
      }
    }
  }

  /** Writes the dictionary's file. */
  SegmentDictionaryCreator writeDictionary(Ranking ranks, boolean isVarLength, File directory)
      throws IOException {
    if (column.isNumeric()) {
      return WrittenDictionary.ofNumbers(column, ranks, directory);
    }
    int longest = figures.lengths() == null ? 0 : figures.lengths().longest();
    return isVarLength
        ? WrittenDictionary.ofVarLength(column, ranks, longest, directory)
        : WrittenDictionary.ofFixedLength(column, ranks, longest, directory);
  }

  private static ColumnBuild rawNumbers(ColumnBuffer column) {
    long[] keys = orderKeys(column);
    int min = 0;
    int max = 0;
    boolean isSorted = column.counts() == null;
    for (int i = 1; i < keys.length; i++) {
      min = keys[i] < keys[min] ? i : min;
      max = keys[i] > keys[max] ? i : max;
      isSorted &= keys[i - 1] <= keys[i];
    }
    Object least = column.value(min);
    Object greatest = column.value(max);
    int cardinality = DistinctCount.of(keys);
    return new ColumnBuild(
        column, null, new Figures(least, greatest, cardinality, isSorted, entries(column), null));
  }

  private static ColumnBuild rawBytes(ColumnBuffer column) {
    ByteValues values = column.bytes();
    ByteRanking.Comparison order = new ByteRanking.Comparison(values, isText(column));
    int min = 0;
    int max = 0;
    long minKey = order.key(0);
    long maxKey = minKey;
    boolean isSorted = column.counts() == null;
    long[] hashes = new long[values.entryCount()];
    for (int entry = 0; entry < hashes.length; entry++) {
      long reference = values.reference(entry);
      hashes[entry] =
          ByteValues.hash64(
              values.pages().page(reference),
              BytePages.offset(reference),
              BytePages.length(reference));
      long key = order.key(entry);
      if (Long.compareUnsigned(key, minKey) <= 0 && order.compare(entry, min) < 0) {
        min = entry;
        minKey = key;
      } else if (Long.compareUnsigned(key, maxKey) >= 0 && order.compare(entry, max) > 0) {
        max = entry;
        maxKey = key;
      }
    }
    for (int i = 1; isSorted && i < values.size(); i++) {
      isSorted = order.compare(values.entryOf(i - 1), values.entryOf(i)) <= 0;
    }
    return new ColumnBuild(
        column,
        null,
        new Figures(
            valueOfEntry(column, min),
            valueOfEntry(column, max),
            DistinctCount.of(hashes),
            isSorted,
            entries(column),
            lengths(column)));
  }

  private static boolean isText(ColumnBuffer column) {
    return column.storedType() == DataType.STRING;
  }

  /** The values of a column of numbers as longs in the same order. */
  private static long[] orderKeys(ColumnBuffer column) {
    long[] keys = new long[column.valueCount()];
    switch (column.storedType()) {
      case INT -> {
        for (int i = 0; i < keys.length; i++) {
          keys[i] = column.ints().get(i);
        }
      }
      case FLOAT -> {
        for (int i = 0; i < keys.length; i++) {
          int bits = column.ints().get(i);
          keys[i] = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
        }
      }
      case LONG -> {
        for (int i = 0; i < keys.length; i++) {
          keys[i] = column.longs().get(i);
        }
      }
      default -> {
        for (int i = 0; i < keys.length; i++) {
          long bits = column.longs().get(i);
          keys[i] = bits ^ ((bits >> 63) & Long.MAX_VALUE);
        }
      }
    }
    return keys;
  }

  private static Object valueOfEntry(ColumnBuffer column, int entry) {
    return column.isNumeric() ? column.value(entry) : column.valueOfEntry(entry);
  }

  private static Object pinotForm(Object value) {
    return value instanceof byte[] bytes ? new ByteArray(bytes) : value;
  }

  private static boolean isSorted(ColumnBuffer column, Ranking ranking) {
    int last = 0;
    for (int i = 0; i < column.valueCount(); i++) {
      int rank = ranking.rankOf()[column.entryOf(i)];
      if (rank < last) {
        return false;
      }
      last = rank;
    }
    return true;
  }

  private static Entries entries(ColumnBuffer column) {
    IntValues counts = column.counts();
    int most = 0;
    for (int row = 0; counts != null && row < counts.size(); row++) {
      most = Math.max(most, counts.get(row));
    }
    return new Entries(column.valueCount(), most);
  }

  private static @Nullable Lengths lengths(ColumnBuffer column) {
    if (column.isNumeric()) {
      return null;
    }
    ByteValues values = column.bytes();
    int shortest = Integer.MAX_VALUE;
    int longest = 0;
    for (int entry = 0; entry < values.entryCount(); entry++) {
      int length = BytePages.length(values.reference(entry));
      shortest = Math.min(shortest, length);
      longest = Math.max(longest, length);
    }
    IntValues counts = column.counts();
    int longestRow = counts == null ? longest : longestRow(values, counts);
    return new Lengths(isText(column) ? -1 : shortest, longest, longestRow);
  }

  private static int longestRow(ByteValues values, IntValues counts) {
    int longest = 0;
    int value = 0;
    for (int row = 0; row < counts.size(); row++) {
      int length = 0;
      for (int i = 0; i < counts.get(row); i++) {
        length += BytePages.length(values.reference(values.entryOf(value++)));
      }
      longest = Math.max(longest, length);
    }
    return longest;
  }
}

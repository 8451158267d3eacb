package dev.tidemark.pinot.segment;

import java.io.IOException;
import org.apache.pinot.segment.local.segment.creator.impl.ColumnIndexCreators;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentDictionaryCreator;
import org.apache.pinot.segment.local.segment.creator.impl.nullvalue.NullValueVectorCreator;
import org.apache.pinot.segment.local.segment.creator.impl.stats.AbstractColumnStatisticsCollector;
import org.apache.pinot.segment.local.segment.creator.impl.stats.StatsCollectorUtil;
import org.apache.pinot.segment.local.segment.index.dictionary.DictionaryIndexType;
import org.apache.pinot.segment.spi.creator.ColumnIndexCreationInfo;
import org.apache.pinot.segment.spi.creator.ColumnStatistics;
import org.apache.pinot.segment.spi.creator.StatsCollectorConfig;
import org.apache.pinot.segment.spi.index.FieldIndexConfigs;
import org.apache.pinot.segment.spi.index.IndexCreator;
import org.apache.pinot.segment.spi.index.StandardIndexes;
import org.apache.pinot.spi.utils.ByteArray;

/**
 * A column as Pinot's own driver treats it, an object for each value: decimals, maps, text search.
 */
final class StockColumn {
  private StockColumn() {}

  /** Pinot's statistics of the column, gathered by its own collector. */
  static ColumnIndexCreationInfo info(
      ColumnBuffer column, FieldIndexConfigs indexes, StatsCollectorConfig config) {
    ColumnStatistics statistics = collect(column, indexes, config);
    boolean isVarLength =
        indexes.getConfig(StandardIndexes.dictionary()).isUseVarLengthDictionary()
            || DictionaryIndexType.optimizeTypeShouldUseVarLengthDictionary(
                column.storedType(), statistics);
    Object defaultValue = column.spec().getDefaultNullValue();
    return new ColumnIndexCreationInfo(
        statistics,
        true,
        isVarLength,
        false,
        defaultValue instanceof byte[] bytes ? new ByteArray(bytes) : defaultValue);
  }

  /** Gives every value to the column's indexes. */
  static void feed(ColumnBuffer column, ColumnIndexCreators creators) throws IOException {
    SegmentDictionaryCreator dictionary = creators.getDictionaryCreator();
    NullValueVectorCreator nulls = creators.getNullValueVectorCreator();
    RowValues values = new RowValues(column);
    for (int row = 0; row < column.rows(); row++) {
      Object value = values.next();
      if (value instanceof Object[] several) {
        int[] ids = dictionary == null ? null : dictionary.indexOfMV(value);
        for (IndexCreator creator : creators.getIndexCreators()) {
          creator.add(several, ids);
        }
      } else {
        int id = dictionary == null ? -1 : dictionary.indexOfSV(value);
        for (IndexCreator creator : creators.getIndexCreators()) {
          creator.add(value, id);
        }
      }
      if (nulls != null && column.isNull(row)) {
        nulls.setNull(row);
      }
    }
  }

  private static ColumnStatistics collect(
      ColumnBuffer column, FieldIndexConfigs indexes, StatsCollectorConfig config) {
    AbstractColumnStatisticsCollector collector =
        StatsCollectorUtil.createStatsCollector(
            column.spec().getName(), column.spec(), indexes, config);
    RowValues values = new RowValues(column);
    for (int row = 0; row < column.rows(); row++) {
      collector.collect(values.next());
    }
    collector.seal();
    return collector;
  }
}

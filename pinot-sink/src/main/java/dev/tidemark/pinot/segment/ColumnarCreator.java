package dev.tidemark.pinot.segment;

import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.pinot.segment.local.segment.creator.impl.ColumnIndexCreators;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentColumnarIndexCreator;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentDictionaryCreator;
import org.apache.pinot.segment.local.segment.creator.impl.stats.AbstractColumnStatisticsCollector;
import org.apache.pinot.segment.local.segment.creator.impl.stats.StatsCollectorUtil;
import org.apache.pinot.segment.local.segment.index.dictionary.DictionaryIndexType;
import org.apache.pinot.segment.spi.creator.ColumnIndexCreationInfo;
import org.apache.pinot.segment.spi.creator.ColumnStatistics;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.creator.StatsCollectorConfig;
import org.apache.pinot.segment.spi.index.FieldIndexConfigs;
import org.apache.pinot.segment.spi.index.IndexCreator;
import org.apache.pinot.segment.spi.index.StandardIndexes;
import org.apache.pinot.segment.spi.index.creator.SegmentIndexCreationInfo;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.utils.ByteArray;
import org.jspecify.annotations.Nullable;

/**
 * Pinot's segment creator, fed column by column: a column's statistics, dictionary and indexes are
 * made before the next one's are begun, so that the working memory is that of one column.
 */
final class ColumnarCreator extends SegmentColumnarIndexCreator {
  private final SegmentRows rows;
  private final SegmentGeneratorConfig config;
  private final Map<String, ColumnBuffer> columns = new HashMap<>();

  ColumnarCreator(SegmentRows rows, SegmentGeneratorConfig config) {
    this.rows = rows;
    this.config = config;
    rows.columns().forEach(column -> columns.put(column.spec().getName(), column));
  }

  /** Makes the segment in this directory, which must not exist. */
  void create(File directory) throws Exception {
    SegmentIndexCreationInfo info = new SegmentIndexCreationInfo();
    info.setTotalDocs(rows.rows());
    TreeMap<String, ColumnIndexCreationInfo> infos = new TreeMap<>();
    for (ColumnBuffer column : rows.columns()) {
      infos.put(column.spec().getName(), info(column));
    }
    init(config, info, infos, config.getSchema(), directory, null, null);
    seal();
  }

  @Override
  protected ColumnIndexCreators createColIndexCreators(String name, int @Nullable [] order)
      throws Exception {
    ColumnIndexCreators creators = super.createColIndexCreators(name, order);
    feed(Objects.requireNonNull(columns.get(name)), creators);
    return creators;
  }

  private ColumnIndexCreationInfo info(ColumnBuffer column) {
    String name = column.spec().getName();
    ColumnStatistics statistics = statistics(column);
    DataType storedType = column.storedType();
    boolean varLength =
        indexes(name).getConfig(StandardIndexes.dictionary()).isUseVarLengthDictionary()
            || DictionaryIndexType.optimizeTypeShouldUseVarLengthDictionary(storedType, statistics);
    Object defaultValue = column.spec().getDefaultNullValue();
    return new ColumnIndexCreationInfo(
        statistics,
        true,
        varLength,
        false,
        defaultValue instanceof byte[] bytes ? new ByteArray(bytes) : defaultValue);
  }

  private FieldIndexConfigs indexes(String column) {
    return Objects.requireNonNull(config.getIndexConfigsByColName().get(column));
  }

  private ColumnStatistics statistics(ColumnBuffer column) {
    FieldSpec spec = column.spec();
    StatsCollectorConfig collecting =
        new StatsCollectorConfig(
            config.getTableConfig(), config.getSchema(), config.getSegmentPartitionConfig());
    AbstractColumnStatisticsCollector collector =
        StatsCollectorUtil.createStatsCollector(
            spec.getName(), spec, indexes(spec.getName()), collecting);
    RowValues values = new RowValues(column);
    for (int row = 0; row < column.rows(); row++) {
      collector.collect(values.next());
    }
    collector.seal();
    return collector;
  }

  private static void feed(ColumnBuffer column, ColumnIndexCreators creators) throws IOException {
    RowValues values = new RowValues(column);
    SegmentDictionaryCreator dictionary = creators.getDictionaryCreator();
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
      if (creators.getNullValueVectorCreator() != null && column.isNull(row)) {
        creators.getNullValueVectorCreator().setNull(row);
      }
    }
  }
}

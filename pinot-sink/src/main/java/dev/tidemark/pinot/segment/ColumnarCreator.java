package dev.tidemark.pinot.segment;

import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.pinot.segment.local.segment.creator.impl.ColumnIndexCreators;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentColumnarIndexCreator;
import org.apache.pinot.segment.spi.creator.ColumnIndexCreationInfo;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.creator.StatsCollectorConfig;
import org.apache.pinot.segment.spi.index.FieldIndexConfigs;
import org.apache.pinot.segment.spi.index.creator.SegmentIndexCreationInfo;
import org.jspecify.annotations.Nullable;

/**
 * Pinot's segment creator, fed column by column: a column's statistics, dictionary and indexes are
 * made before the next one's are begun, so that the working memory is that of one column. Columns
 * of plain types and indexes are ranked and written by {@link FastColumn}; all others go through
 * Pinot's own collectors, see {@link StockColumn}.
 */
final class ColumnarCreator extends SegmentColumnarIndexCreator {
  private final SegmentRows rows;
  private final SegmentGeneratorConfig config;
  private final StatsCollectorConfig statistics;
  private final Map<String, FastColumn> fastColumns = new HashMap<>();
  private final Map<String, ColumnBuffer> stockColumns = new HashMap<>();

  ColumnarCreator(SegmentRows rows, SegmentGeneratorConfig config) {
    this.rows = rows;
    this.config = config;
    this.statistics =
        new StatsCollectorConfig(
            config.getTableConfig(), config.getSchema(), config.getSegmentPartitionConfig());
  }

  /** Makes the segment in this directory, which must not exist. */
  void create(File directory) throws Exception {
    SegmentIndexCreationInfo info = new SegmentIndexCreationInfo();
    info.setTotalDocs(rows.rows());
    TreeMap<String, ColumnIndexCreationInfo> infos = new TreeMap<>();
    for (ColumnBuffer column : rows.columns()) {
      infos.put(column.spec().getName(), prepare(column, directory));
    }
    init(config, info, infos, config.getSchema(), directory, null, null);
    seal();
  }

  @Override
  protected ColumnIndexCreators createColIndexCreators(String name, int @Nullable [] order)
      throws Exception {
    FastColumn fast = fastColumns.get(name);
    if (fast != null) {
      return fast.build();
    }
    ColumnIndexCreators creators = super.createColIndexCreators(name, order);
    try {
      StockColumn.feed(Objects.requireNonNull(stockColumns.get(name)), creators);
    } catch (IOException | RuntimeException e) {
      creators.close();
      throw e;
    }
    return creators;
  }

  private ColumnIndexCreationInfo prepare(ColumnBuffer column, File directory) {
    String name = column.spec().getName();
    FieldIndexConfigs indexes = Objects.requireNonNull(config.getIndexConfigsByColName().get(name));
    if (FastColumn.canBuild(column, indexes)) {
      ColumnSummary summary = new ColumnSummary(name, statistics);
      ColumnIndexCreationInfo info = summary.info(column.spec());
      fastColumns.put(name, new FastColumn(column, config, indexes, directory, summary, info));
      return info;
    }
    stockColumns.put(name, column);
    return StockColumn.info(column, indexes, statistics);
  }
}

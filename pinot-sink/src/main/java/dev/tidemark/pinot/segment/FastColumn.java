package dev.tidemark.pinot.segment;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.pinot.segment.local.segment.creator.impl.ColumnIndexCreators;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentDictionaryCreator;
import org.apache.pinot.segment.local.segment.creator.impl.nullvalue.NullValueVectorCreator;
import org.apache.pinot.segment.local.segment.index.dictionary.DictionaryIndexType;
import org.apache.pinot.segment.spi.creator.ColumnIndexCreationInfo;
import org.apache.pinot.segment.spi.creator.IndexCreationContext;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.index.DictionaryIndexConfig;
import org.apache.pinot.segment.spi.index.FieldIndexConfigs;
import org.apache.pinot.segment.spi.index.ForwardIndexConfig;
import org.apache.pinot.segment.spi.index.IndexCreator;
import org.apache.pinot.segment.spi.index.IndexService;
import org.apache.pinot.segment.spi.index.IndexType;
import org.apache.pinot.segment.spi.index.IndexType.BuildLifecycle;
import org.apache.pinot.segment.spi.index.StandardIndexes;
import org.apache.pinot.spi.config.table.FieldConfig.CompressionCodec;
import org.apache.pinot.spi.config.table.IndexConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.FieldSpec.FieldType;
import org.apache.pinot.spi.data.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Builds one column out of its primitives: statistics and dictionary are ours, the indexes Pinot's,
 * fed by {@link ColumnFeed}. What it decides (dictionary or not, of which form, which indexes) it
 * decides by Pinot's rules.
 */
final class FastColumn {
  private static final Set<CompressionCodec> OF_LOGS =
      Set.of(
          CompressionCodec.CLP,
          CompressionCodec.CLPV2,
          CompressionCodec.CLPV2_ZSTD,
          CompressionCodec.CLPV2_LZ4);

  private final ColumnBuffer column;
  private final SegmentGeneratorConfig config;
  private final FieldIndexConfigs indexes;
  private final File directory;
  private final ColumnSummary summary;
  private final ColumnIndexCreationInfo info;

  FastColumn(
      ColumnBuffer column,
      SegmentGeneratorConfig config,
      FieldIndexConfigs indexes,
      File directory,
      ColumnSummary summary,
      ColumnIndexCreationInfo info) {
    this.column = column;
    this.config = config;
    this.indexes = indexes;
    this.directory = directory;
    this.summary = summary;
    this.info = info;
  }

  /** Whether a column of this type and with these indexes can be built here. */
  static boolean canBuild(ColumnBuffer column, FieldIndexConfigs indexes) {
    ForwardIndexConfig forward = indexes.getConfig(StandardIndexes.forward());
    boolean isOfLogs =
        forward.getCompressionCodec() != null && OF_LOGS.contains(forward.getCompressionCodec());
    return ColumnBuild.canBuild(column.storedType())
        && forward.isEnabled()
        && !isOfLogs
        && indexTypes(indexes).stream().allMatch(FastColumn::needsNoObjects);
  }

  /** Writes dictionary and indexes; what is returned has only to be sealed. */
  ColumnIndexCreators build() throws Exception {
    boolean wantsDictionary = dictionaryConfig().isEnabled();
    ColumnBuild build = wantsDictionary ? ColumnBuild.ranked(column) : ColumnBuild.raw(column);
    summary.set(build.figures());
    build.addPartitions(summary);
    Ranking ranking = keepsDictionary(build) ? build.ranking() : null;
    SegmentDictionaryCreator dictionary =
        ranking == null ? null : build.writeDictionary(ranking, isVarLength(), directory);
    NullValueVectorCreator nulls = nulls();
    List<IndexCreator> creators = new ArrayList<>();
    ColumnIndexCreators all =
        new ColumnIndexCreators(
            column.spec().getName(), column.spec(), dictionary, creators, nulls);
    try {
      addCreators(creators, ranking != null);
      new ColumnFeed(column, ranking).feed(creators);
      if (nulls != null) {
        column.nulls().stream().forEach(nulls::setNull);
      }
      return all;
    } catch (Exception e) {
      all.close();
      throw e;
    }
  }

  private boolean keepsDictionary(ColumnBuild build) {
    return build.ranking() != null
        && DictionaryIndexType.ignoreDictionaryOverride(
            config.isOptimizeDictionary(),
            config.isOptimizeDictionaryForMetrics(),
            config.getNoDictionarySizeRatioThreshold(),
            config.getNoDictionaryCardinalityRatioThreshold(),
            column.spec(),
            indexes,
            build.figures().cardinality(),
            build.figures().entries().total());
  }

  private DictionaryIndexConfig dictionaryConfig() {
    return indexes.getConfig(StandardIndexes.dictionary());
  }

  private boolean isVarLength() {
    DataType storedType = column.storedType();
    if (dictionaryConfig().isUseVarLengthDictionary()) {
      return true;
    }
    return DictionaryIndexType.shouldUseVarLengthDictionary(storedType, summary)
        || (config.isOptimizeDictionaryType()
            && DictionaryIndexType.optimizeTypeShouldUseVarLengthDictionary(storedType, summary));
  }

  private @Nullable NullValueVectorCreator nulls() {
    Schema schema = config.getSchema();
    FieldSpec spec = column.spec();
    boolean isNullable =
        schema.isEnableColumnBasedNullHandling()
            ? spec.isNullable()
            : config.isDefaultNullHandlingEnabled();
    return isNullable ? new NullValueVectorCreator(directory, spec.getName()) : null;
  }

  private void addCreators(List<IndexCreator> creators, boolean hasDictionary) throws Exception {
    FieldIndexConfigs adapted = indexes;
    if (info.isSorted()) {
      adapted =
          new FieldIndexConfigs.Builder(indexes).undeclare(StandardIndexes.inverted()).build();
    }
    if (!hasDictionary && indexes.getConfig(StandardIndexes.inverted()).isEnabled()) {
      throw new IllegalStateException(
          "Cannot create the inverted index of column \""
              + column.spec().getName()
              + "\": it has no dictionary");
    }
    IndexCreationContext.Common context = context(hasDictionary);
    for (IndexType<?, ?, ?> type : indexTypes(adapted)) {
      creators.add(creator(type, adapted, context));
    }
  }

  private IndexCreationContext.Common context(boolean hasDictionary) {
    boolean isOptimized =
        config.isOptimizeDictionary()
            || (config.isOptimizeDictionaryForMetrics()
                && column.spec().getFieldType() == FieldType.METRIC);
    return IndexCreationContext.builder()
        .withIndexDir(directory)
        .withFieldSpec(column.spec())
        .withTotalDocs(column.rows())
        .withDictionary(hasDictionary)
        .withOptimizedDictionary(isOptimized)
        .withColumnIndexCreationInfo(info)
        .onHeap(config.isOnHeap())
        .withTextCommitOnClose(true)
        .withTableNameWithType(config.getTableConfig().getTableName())
        .withContinueOnError(config.isContinueOnError())
        .build();
  }

  private static <C extends IndexConfig> IndexCreator creator(
      IndexType<C, ?, ?> type, FieldIndexConfigs indexes, IndexCreationContext context)
      throws Exception {
    return type.createIndexCreator(context, indexes.getConfig(type));
  }

  /** The enabled indexes that are made while a segment is created. */
  private static List<IndexType<?, ?, ?>> indexTypes(FieldIndexConfigs indexes) {
    List<IndexType<?, ?, ?>> enabled = new ArrayList<>();
    for (IndexType<?, ?, ?> type : IndexService.getInstance().getAllIndexes()) {
      if (type.getIndexBuildLifecycle() == BuildLifecycle.DURING_SEGMENT_CREATION
          && indexes.getConfig(type).isEnabled()) {
        enabled.add(type);
      }
    }
    return enabled;
  }

  private static boolean needsNoObjects(IndexType<?, ?, ?> type) {
    return type == StandardIndexes.forward()
        || type == StandardIndexes.inverted()
        || type == StandardIndexes.range()
        || type == StandardIndexes.json()
        || type == StandardIndexes.bloomFilter();
  }
}

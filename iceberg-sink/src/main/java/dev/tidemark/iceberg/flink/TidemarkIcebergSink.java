package dev.tidemark.iceberg.flink;

import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.commit.CommitPlan;
import dev.tidemark.iceberg.commit.MirrorMode;
import dev.tidemark.iceberg.flink.internal.ExtendedSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.Row;
import org.apache.iceberg.DistributionMode;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.FlinkWriteConf;
import org.apache.iceberg.flink.FlinkWriteOptions;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The Iceberg sink with accumulators in its writers, hooks around its commits, and finalization:
 * the stock {@link IcebergSink}, its options, operator names and uids, and its savepoints, both
 * ways. With nothing of that configured, {@link #append} <em>is</em> the stock sink.
 *
 * <pre>{@code
 * TidemarkIcebergSink.forRowData(rows)
 *     .tableLoader(loader)
 *     .eventTime(EventTimeColumn.timestamp("event_time"))
 *     .finalization(FinalizationConfig.forWriter("orders").build())
 *     .append();
 * }</pre>
 *
 * <p><b>Guarantee:</b> with checkpoints, data, facts and watermark of a checkpoint are one atomic
 * commit, made exactly once, also when it is delivered again after a crash or a late landing.
 * Without checkpoints, and in BATCH mode, everything is one commit at the end.
 *
 * <p>A builder: not thread-safe, used once.
 */
public final class TidemarkIcebergSink {
  private static final int DEFAULT_MAX_ABORTS = 5;
  private static final int FLINK_COMMIT_RETRIES = 10;

  private final DataStream<?> input;
  private final Function<StreamExecutionEnvironment, IcebergSink.Builder> stockBuilder;

  private final Map<String, String> writeOptions = new HashMap<>();
  private final Map<String, String> snapshotProperties = new HashMap<>();
  private final List<AccumulatorFactory<RowData, ?>> accumulators = new ArrayList<>();
  private final List<CommitProcessor<Table>> processors = new ArrayList<>();
  private final List<LateDataListener> lateListeners = new ArrayList<>();
  private @Nullable TableLoader tableLoader;
  private @Nullable ResolvedSchema resolvedSchema;
  private ReadableConfig flinkConf = new Configuration();
  private @Nullable List<String> equalityColumns;
  private @Nullable FinalizationConfig finalization;
  private @Nullable EventTimeColumn eventTimeColumn;
  private @Nullable EventTimeExtractor<RowData> eventTimeExtractor;
  private EventTimeBounds eventTimeBounds = EventTimeBounds.DEFAULT;
  private MirrorMode mirrorMode = MirrorMode.SAME_COMMIT;
  private int maxAborts = DEFAULT_MAX_ABORTS;
  private boolean inputDeclaredComplete;
  private @Nullable DataStream<byte[]> sourceReports;

  private TidemarkIcebergSink(
      DataStream<?> input, Function<StreamExecutionEnvironment, IcebergSink.Builder> stockBuilder) {
    this.input = input;
    this.stockBuilder = stockBuilder;
  }

  /** A sink for rows in Flink's internal form. */
  public static TidemarkIcebergSink forRowData(DataStream<RowData> input) {
    return new TidemarkIcebergSink(input, env -> IcebergSink.forRowData(in(env, input)));
  }

  /** A sink for rows of a schema. */
  public static TidemarkIcebergSink forRow(DataStream<Row> input, ResolvedSchema schema) {
    TidemarkIcebergSink sink =
        new TidemarkIcebergSink(input, env -> IcebergSink.forRow(in(env, input), schema));
    sink.resolvedSchema = schema;
    return sink;
  }

  /** A sink for any records, mapped to rows. */
  public static <T> TidemarkIcebergSink builderFor(
      DataStream<T> input, MapFunction<T, RowData> mapper, TypeInformation<RowData> rowType) {
    return new TidemarkIcebergSink(
        input, env -> IcebergSink.builderFor(in(env, input), mapper, rowType));
  }

  /** Loads the table; required. */
  public TidemarkIcebergSink tableLoader(TableLoader loader) {
    this.tableLoader = Objects.requireNonNull(loader, "loader is null");
    return this;
  }

  /** Any write option of the stock sink: {@code write-format}, {@code target-file-size-bytes}, … */
  public TidemarkIcebergSink set(String option, String value) {
    writeOptions.put(option, value);
    return this;
  }

  /** Several write options of the stock sink. */
  public TidemarkIcebergSink setAll(Map<String, String> options) {
    writeOptions.putAll(options);
    return this;
  }

  /** How rows are spread over the writers. */
  public TidemarkIcebergSink distributionMode(DistributionMode mode) {
    return set(FlinkWriteOptions.DISTRIBUTION_MODE.key(), mode.modeName());
  }

  /** How many writers; the input's parallelism by default. */
  public TidemarkIcebergSink writeParallelism(int parallelism) {
    return set(FlinkWriteOptions.WRITE_PARALLELISM.key(), Integer.toString(parallelism));
  }

  /** Whether rows replace rows of the same key. */
  public TidemarkIcebergSink upsert(boolean enabled) {
    return set(FlinkWriteOptions.WRITE_UPSERT_ENABLED.key(), Boolean.toString(enabled));
  }

  /** Whether a commit replaces the partitions that it has rows for. */
  public TidemarkIcebergSink overwrite(boolean enabled) {
    return set(FlinkWriteOptions.OVERWRITE_MODE.key(), Boolean.toString(enabled));
  }

  /** The branch to commit to; main by default. Another branch has its own truth and no mirror. */
  public TidemarkIcebergSink toBranch(String branch) {
    return set(FlinkWriteOptions.BRANCH.key(), branch);
  }

  /** The suffix of the operators' names and uids; the table's name by default. */
  public TidemarkIcebergSink uidSuffix(String suffix) {
    return set(FlinkWriteOptions.UID_SUFFIX.key(), suffix);
  }

  /**
   * The schema of the rows; the table's by default. Needed where rows were planned earlier than the
   * table is loaded, since a column may have been added in between.
   */
  public TidemarkIcebergSink resolvedSchema(ResolvedSchema schema) {
    this.resolvedSchema = Objects.requireNonNull(schema, "schema is null");
    return this;
  }

  /** The key of a table that takes changes. */
  public TidemarkIcebergSink equalityFieldColumns(List<String> columns) {
    this.equalityColumns = List.copyOf(columns);
    return this;
  }

  /** A property that every snapshot gets. */
  public TidemarkIcebergSink setSnapshotProperty(String key, String value) {
    snapshotProperties.put(key, value);
    return this;
  }

  /** The job's configuration, for options that the stock sink reads from it. */
  public TidemarkIcebergSink flinkConf(ReadableConfig config) {
    this.flinkConf = Objects.requireNonNull(config, "config is null");
    return this;
  }

  /** Counts something over the written rows, and keeps it with every commit. */
  public TidemarkIcebergSink accumulator(AccumulatorFactory<RowData, ?> factory) {
    accumulators.add(Objects.requireNonNull(factory, "factory is null"));
    return this;
  }

  /** A hook around every commit. */
  public TidemarkIcebergSink processor(CommitProcessor<Table> processor) {
    processors.add(Objects.requireNonNull(processor, "processor is null"));
    return this;
  }

  /** Who hears of late rows. */
  public TidemarkIcebergSink onLateRecords(LateDataListener listener) {
    lateListeners.add(Objects.requireNonNull(listener, "listener is null"));
    return this;
  }

  /** The column that holds the event time; needed for {@link #finalization}, as is its twin. */
  public TidemarkIcebergSink eventTime(EventTimeColumn column) {
    this.eventTimeColumn = Objects.requireNonNull(column, "column is null");
    return this;
  }

  /**
   * Reads the event time in a way of your own. Foreign commits cannot be judged then, since no
   * column is known to have bounds.
   */
  public TidemarkIcebergSink eventTime(EventTimeExtractor<RowData> extractor) {
    this.eventTimeExtractor = Objects.requireNonNull(extractor, "extractor is null");
    return this;
  }

  /** Which event times are credible. */
  public TidemarkIcebergSink eventTimeBounds(EventTimeBounds bounds) {
    this.eventTimeBounds = Objects.requireNonNull(bounds, "bounds is null");
    return this;
  }

  /** Forms the table's opinion from the facts. */
  public TidemarkIcebergSink finalization(FinalizationConfig config) {
    this.finalization = Objects.requireNonNull(config, "config is null");
    return this;
  }

  /** When the table property is written; in the same commit by default. */
  public TidemarkIcebergSink mirrorMode(MirrorMode mode) {
    this.mirrorMode = Objects.requireNonNull(mode, "mode is null");
    return this;
  }

  /**
   * How often a hook may refuse one commit before the job fails for good; 5 by default.
   *
   * @param limit from 1 to 10, Flink's own limit on redelivery
   */
  public TidemarkIcebergSink maxPreCommitAborts(int limit) {
    if (limit < 1 || limit > FLINK_COMMIT_RETRIES) {
      throw new IllegalArgumentException(
          "Invalid limit of aborts: " + limit + " (expected: from 1 to 10)");
    }
    this.maxAborts = limit;
    return this;
  }

  /**
   * Declares that the bounded input is complete when it ends: the granule of the highest event time
   * becomes final too. Leave it out where a drain or an offset range may end the input early.
   */
  public TidemarkIcebergSink inputIsComplete() {
    this.inputDeclaredComplete = true;
    return this;
  }

  /**
   * Where the source stands, reported before every barrier: bytes of {@link
   * dev.tidemark.finalization.coverage.SourceReport}. Needs aligned checkpoints, since an unaligned
   * barrier overtakes rows that the source has already counted.
   */
  public TidemarkIcebergSink coverage(DataStream<byte[]> reports) {
    this.sourceReports = Objects.requireNonNull(reports, "reports is null");
    return this;
  }

  /**
   * Appends the sink to the job.
   *
   * @throws IllegalArgumentException if the options contradict each other or the table
   */
  public DataStreamSink<?> append() {
    TableLoader loader = Objects.requireNonNull(tableLoader, "tableLoader is null");
    if (isStock()) {
      return stock(input.getExecutionEnvironment(), loader).append();
    }
    Table table = load(loader);
    FlinkWriteConf conf = new FlinkWriteConf(table, writeOptions, flinkConf);
    checkOptions(conf);
    SinkTransformation<RowData, ?> scratch = scratch(loader);
    Types.NestedField field = eventTimeColumn == null ? null : eventTimeColumn.bind(table);
    Accumulators<RowData> all = new Accumulators<>(allAccumulators(table, field));
    ExtendedSink sink =
        new ExtendedSink(
            (IcebergSink) scratch.getSink(),
            loader,
            Objects.requireNonNull(scratch.getUid()),
            all,
            plan(conf, all, field),
            new ExtendedSink.CommitOptions(conf.workerPoolSize(), maxAborts, inputDeclaredComplete),
            sourceReports);
    return new DataStream<>(
            input.getExecutionEnvironment(), scratch.getInputStream().getTransformation())
        .sinkTo(sink)
        .uid(scratch.getUid())
        .name(scratch.getName())
        .setParallelism(scratch.getParallelism());
  }

  private boolean isStock() {
    return accumulators.isEmpty()
        && processors.isEmpty()
        && lateListeners.isEmpty()
        && eventTimeColumn == null
        && eventTimeExtractor == null
        && finalization == null
        && sourceReports == null;
  }

  /**
   * The stock sink as its own builder makes it: appended in an environment of its own, which is
   * never executed, and taken from the transformation that it left there.
   */
  @SuppressWarnings("unchecked") // the stock builder appends a sink of rows
  private SinkTransformation<RowData, ?> scratch(TableLoader loader) {
    StreamExecutionEnvironment own = input.getExecutionEnvironment();
    StreamExecutionEnvironment scratch =
        new StreamExecutionEnvironment(Configuration.fromMap(own.getConfiguration().toMap()));
    scratch.setParallelism(own.getParallelism());
    DataStreamSink<RowData> appended = stock(scratch, loader).append();
    return (SinkTransformation<RowData, ?>) appended.getTransformation();
  }

  private IcebergSink.Builder stock(StreamExecutionEnvironment env, TableLoader loader) {
    IcebergSink.Builder builder =
        stockBuilder
            .apply(env)
            .tableLoader(loader)
            .setAll(writeOptions)
            .flinkConf(flinkConf)
            .snapshotProperties(snapshotProperties);
    if (resolvedSchema != null) {
      builder.resolvedSchema(resolvedSchema);
    }
    if (equalityColumns != null) {
      builder.equalityFieldColumns(equalityColumns);
    }
    return builder;
  }

  private CommitPlan plan(
      FlinkWriteConf conf, Accumulators<RowData> all, Types.@Nullable NestedField field) {
    return CommitPlan.builder()
        .branch(conf.branch())
        .replacePartitions(conf.overwriteMode())
        .snapshotProperties(snapshotProperties)
        .accumulators(all)
        .finalization(finalization)
        .eventTimeColumn(
            eventTimeColumn == null || field == null ? Map.of() : eventTimeColumn.bindingTo(field))
        .mirrorMode(mirrorMode)
        .processors(processors)
        .lateListeners(lateListeners)
        .build();
  }

  private List<AccumulatorFactory<RowData, ?>> allAccumulators(
      Table table, Types.@Nullable NestedField field) {
    List<AccumulatorFactory<RowData, ?>> all = new ArrayList<>();
    EventTimeExtractor<RowData> extractor = eventTimeExtractor;
    if (eventTimeColumn != null && field != null) {
      extractor = eventTimeColumn.extractor(rowType(table), field.name());
    }
    if (extractor != null) {
      all.add(
          new EventTimeAccumulatorFactory<>(
              extractor,
              finalization == null ? Granularity.HOUR : finalization.granularity(),
              eventTimeBounds));
    }
    all.addAll(accumulators);
    return all;
  }

  private RowType rowType(Table table) {
    return resolvedSchema == null
        ? FlinkSchemaUtil.convert(table.schema())
        : (RowType) resolvedSchema.toSinkRowDataType().getLogicalType();
  }

  private void checkOptions(FlinkWriteConf conf) {
    if (conf.compactMode() || conf.expireSnapshotsMode() || conf.deleteOrphanFilesMode()) {
      throw new IllegalArgumentException(
          "Cannot run table maintenance inside this sink (expected: compaction, expiry and orphan"
              + " removal in a job of their own, which finalization steps over)");
    }
    if (eventTimeColumn != null && eventTimeExtractor != null) {
      throw new IllegalArgumentException(
          "Invalid event time: both a column (\""
              + eventTimeColumn.name()
              + "\") and an extractor (expected: one of them)");
    }
    if (finalization != null && eventTimeColumn == null && eventTimeExtractor == null) {
      throw new IllegalArgumentException(
          "Cannot finalize without event times (expected: eventTime(...) beside finalization)");
    }
    checkCoverage();
  }

  private void checkCoverage() {
    FinalizationConfig config = finalization;
    boolean expected = config != null && config.coverageExpected();
    if (config != null && expected && sourceReports == null) {
      throw new IllegalArgumentException(
          "Missing coverage: the finalization of writer \""
              + config.writer()
              + "\" expects it (expected: coverage(...) with the reports of the source)");
    }
    if (sourceReports != null && !expected) {
      throw new IllegalArgumentException(
          "Cannot use coverage: the finalization does not expect it (expected:"
              + " coverageExpected() in its configuration)");
    }
    if (sourceReports != null
        && input.getExecutionEnvironment().getCheckpointConfig().isUnalignedCheckpointsEnabled()) {
      throw new IllegalArgumentException(
          "Cannot use coverage with unaligned checkpoints: a barrier that overtakes rows would"
              + " count them as delivered before they are written (expected: aligned checkpoints)");
    }
  }

  private static <T> DataStream<T> in(StreamExecutionEnvironment env, DataStream<T> stream) {
    return env == stream.getExecutionEnvironment()
        ? stream
        : new DataStream<>(env, stream.getTransformation());
  }

  private static Table load(TableLoader loader) {
    loader.open();
    try (TableLoader open = loader) {
      return open.loadTable();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot load the table from " + loader, e);
    }
  }
}

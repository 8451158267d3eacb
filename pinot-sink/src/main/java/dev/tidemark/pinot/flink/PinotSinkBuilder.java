package dev.tidemark.pinot.flink;

import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.KeySamples;
import dev.tidemark.pinot.commit.MirrorWrite;
import dev.tidemark.pinot.commit.OpinionSource;
import dev.tidemark.pinot.commit.PinotPlan;
import dev.tidemark.pinot.commit.PinotTableHandle;
import dev.tidemark.pinot.commit.ReplacedSegments;
import dev.tidemark.pinot.commit.TieRule;
import dev.tidemark.pinot.commit.UpsertRules;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.flink.internal.CheckedSubtaskRoute;
import dev.tidemark.pinot.flink.internal.PublisherFactory;
import dev.tidemark.pinot.flink.internal.RejectionListener;
import dev.tidemark.pinot.flink.internal.RowIntake;
import dev.tidemark.pinot.flink.internal.RowRoute;
import dev.tidemark.pinot.flink.internal.RowRule;
import dev.tidemark.pinot.flink.internal.SegmentNaming;
import dev.tidemark.pinot.flink.internal.SegmentPlan;
import dev.tidemark.pinot.flink.internal.TablePublishers;
import dev.tidemark.pinot.flink.internal.TableRowRule;
import dev.tidemark.pinot.flink.internal.Thresholds;
import dev.tidemark.pinot.flink.internal.WriterPlan;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.pinot.row.Tombstones;
import dev.tidemark.pinot.segment.SegmentTable;
import dev.tidemark.pinot.segment.TarCompression;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.configuration.MemorySize;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.ingestion.BatchIngestionConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.ingestion.batch.BatchConfigProperties;
import org.jspecify.annotations.Nullable;

/**
 * All options of {@link PinotSink} and {@link PinotSinkFunction}, each with its default and its
 * effect. Not thread-safe, used once.
 *
 * @param <T> the record
 */
public final class PinotSinkBuilder<T> {
  /** Rows of a full segment. */
  static final long DEFAULT_SEGMENT_ROWS = 500_000;

  private static final MemorySize DEFAULT_SEGMENT_SIZE = MemorySize.ofMebiBytes(256);
  private static final MemorySize LARGEST_SEGMENT_SIZE = MemorySize.ofMebiBytes(1_024);
  private static final MemorySize DEFAULT_WRITER_MEMORY = MemorySize.ofMebiBytes(512);
  private static final Duration DEFAULT_SEGMENT_AGE = Duration.ofHours(1);
  private static final Duration DEFAULT_COMMIT_INTERVAL = Duration.ofMinutes(5);
  private static final int DEFAULT_BUILDS = 2;
  private static final int DEFAULT_MAX_ABORTS = 5;
  private static final int FLINK_COMMIT_RETRIES = 10;

  private final PinotGenericRowConverter<T> converter;
  private final SegmentTable table;
  private final Map<String, String> batchConfig;

  private final List<AccumulatorFactory<T, ?>> accumulators = new ArrayList<>();
  private final List<CommitProcessor<PinotTableHandle>> processors = new ArrayList<>();
  private final List<LateDataListener> lateListeners = new ArrayList<>();
  private @Nullable ControllerSettings controller;
  private @Nullable String staging;
  private long segmentRows = DEFAULT_SEGMENT_ROWS;
  private MemorySize segmentSize = DEFAULT_SEGMENT_SIZE;
  private MemorySize writerMemory = DEFAULT_WRITER_MEMORY;
  private Duration segmentAge = DEFAULT_SEGMENT_AGE;
  private int builds = DEFAULT_BUILDS;
  private TarCompression compression = TarCompression.ZSTD;
  private @Nullable String segmentNamePrefix;
  private CommitTiming timing = CommitTiming.interval(DEFAULT_COMMIT_INTERVAL);
  private @Nullable String runId;
  private @Nullable Long runStartMillis;
  private @Nullable PinotPartitioning partitioning;
  private boolean partitionIsSubtask;
  private KeySamples keySamples = KeySamples.fromTable();
  private boolean acceptsUnproven;
  private @Nullable DeadLetterListener<T> deadLetters;
  private Duration stagedGrace = Duration.ZERO;
  private PinotPlan.Upload upload = PinotPlan.Upload.DEFAULT;
  private ReplacedSegments replaced = ReplacedSegments.none();
  private boolean replacesSegments;
  private TieRule tieRule = TieRule.STREAM_WINS;
  private MirrorWrite mirrorWrite = MirrorWrite.TABLE_CONFIG;
  private @Nullable FinalizationConfig finalization;
  private @Nullable EventTimeExtractor<T> eventTime;
  private EventTimeBounds eventTimeBounds = EventTimeBounds.DEFAULT;
  private boolean inputIsComplete;
  private @Nullable OpinionSource opinionSource;
  private int maxAborts = DEFAULT_MAX_ABORTS;
  private Duration maxAhead = UpsertRules.DEFAULT_AHEAD_LIMIT;
  private @Nullable PublisherFactory publishers;

  PinotSinkBuilder(PinotGenericRowConverter<T> converter, TableConfig config, Schema schema) {
    this.converter = Objects.requireNonNull(converter, "converter is null");
    this.table = SegmentTable.of(config, schema);
    this.batchConfig = batchConfig(config);
  }

  /**
   * How Pinot is reached: URL, authentication, TLS, time-outs. By default the {@code
   * push.controllerUri} of the table's batch configuration; without either, {@link #build} fails.
   */
  public PinotSinkBuilder<T> controller(ControllerSettings settings) {
    this.controller = Objects.requireNonNull(settings, "settings is null");
    return this;
  }

  /** The same, where the URL is all there is to say. */
  public PinotSinkBuilder<T> controller(String url) {
    return controller(ControllerSettings.of(url));
  }

  /**
   * Where segments lie from the time they are built until they are published and seen in Pinot: a
   * directory on any file system that Flink knows and that every task manager reaches. By default
   * the {@code outputDirURI} of the table's batch configuration, else a directory below {@code
   * java.io.tmpdir}, which serves a single machine only. What a failed job left there is of use to
   * its savepoints; nobody removes it but you.
   */
  public PinotSinkBuilder<T> staging(String directory) {
    this.staging = Objects.requireNonNull(directory, "directory is null");
    return this;
  }

  /**
   * How long staged files outlive the commit that published them; not at all by default. A
   * savepoint from before that commit refers to them: restored, it needs them only if Pinot does
   * not have the segments any more, because they were deleted, or replaced after another rewind.
   * Files that wait when the job ends stay, and are yours to remove.
   */
  public PinotSinkBuilder<T> keepStaged(Duration afterCommit) {
    if (afterCommit.isNegative()) {
      throw new IllegalArgumentException(
          "Invalid time to keep staged files: " + afterCommit + " (expected: zero or more)");
    }
    this.stagedGrace = afterCommit;
    return this;
  }

  /** How many rows fill a segment; 500,000 by default. */
  public PinotSinkBuilder<T> segmentRows(long rows) {
    this.segmentRows = rows;
    return this;
  }

  /**
   * How much heap a buffer may take before it becomes a segment; 256 MiB by default, 1 GiB at most,
   * since an open buffer is one array in a checkpoint. While a checkpoint is taken, its rows are on
   * the heap up to three times: the buffer, its bytes, and Flink's copy of them.
   */
  public PinotSinkBuilder<T> segmentSize(MemorySize size) {
    if (size.compareTo(LARGEST_SEGMENT_SIZE) > 0) {
      throw new IllegalArgumentException(
          "Invalid segment size: " + size + " (expected: at most " + LARGEST_SEGMENT_SIZE + ")");
    }
    this.segmentSize = size;
    return this;
  }

  /**
   * How much heap all open buffers of one writer may take, one per partition it owns; beyond it the
   * largest becomes a segment early. 512 MiB by default. Buffers that are being built come on top:
   * at most {@link #builds} of them.
   */
  public PinotSinkBuilder<T> writerMemory(MemorySize size) {
    this.writerMemory = Objects.requireNonNull(size, "size is null");
    return this;
  }

  /**
   * How old a buffer may become before it is a segment, looked at with every checkpoint; one hour
   * by default. A segment is visible with its commit, so this only keeps checkpoints small where
   * the commit interval is long.
   */
  public PinotSinkBuilder<T> segmentAge(Duration age) {
    this.segmentAge = Objects.requireNonNull(age, "age is null");
    return this;
  }

  /**
   * How many segments one writer builds and stages at a time; 2 by default. When so many are in
   * flight and another buffer is full, the writer waits: the sink's back-pressure.
   */
  public PinotSinkBuilder<T> builds(int atATime) {
    this.builds = atATime;
    return this;
  }

  /**
   * How tars are compressed; Zstandard by default. A controller older than Pinot 1.3 needs gzip,
   * and is refused otherwise when the job starts.
   */
  public PinotSinkBuilder<T> compression(TarCompression newCompression) {
    this.compression = Objects.requireNonNull(newCompression, "compression is null");
    return this;
  }

  /**
   * What the names of the segments begin with; by default what the table's batch configuration
   * says, else the table's name (OFFLINE) or {@code backfill} (REALTIME).
   */
  public PinotSinkBuilder<T> segmentNamePrefix(@Nullable String prefix) {
    this.segmentNamePrefix = prefix;
    return this;
  }

  /**
   * How often rows become visible in a stream with checkpoints; every 5 minutes by default, rounded
   * to a whole number of checkpoints, at least one. Each commit ends every buffer, so a short
   * interval makes many small segments; a long one makes larger checkpoints, since rows of open
   * buffers are in them.
   */
  public PinotSinkBuilder<T> commitInterval(Duration interval) {
    this.timing = CommitTiming.interval(interval);
    return this;
  }

  /** The same in checkpoints: every n-th is a commit. */
  public PinotSinkBuilder<T> commitEveryCheckpoints(int checkpoints) {
    this.timing = CommitTiming.checkpoints(checkpoints);
    return this;
  }

  /**
   * A name for this run of the program, in the names of its segments and in Pinot's ledger; made up
   * by default, so that the program started again is a new run. With a name of yours, a run that
   * has finished is not run again. A sink function knows no end of the whole run, only of its
   * subtasks, among which rows may be dealt out otherwise the next time: started again, it loads
   * again, whatever its name.
   */
  public PinotSinkBuilder<T> runId(String id) {
    this.runId = Objects.requireNonNull(id, "id is null");
    return this;
  }

  PinotSinkBuilder<T> runStartMillis(@Nullable Long millis) {
    this.runStartMillis = millis;
    return this;
  }

  /**
   * How the stream that the REALTIME table consumes is partitioned; needed for such a table, not
   * used for others. Each row becomes part of a segment of its partition, and the partitioning is
   * proved against keys that are in Pinot before anything is uploaded.
   */
  public PinotSinkBuilder<T> partitioning(PinotPartitioning newPartitioning) {
    this.partitioning = Objects.requireNonNull(newPartitioning, "partitioning is null");
    this.partitionIsSubtask = false;
    return this;
  }

  /**
   * Takes the number of the writer's subtask for the partition, as the connector that Pinot ships
   * does: the program partitions by itself in front of the sink, and runs the sink with as many
   * subtasks as the stream has partitions. Nothing can be rescaled then. Before anything is
   * uploaded to a table with upsert, the keys that arrived are compared with the partitioners that
   * streams use, and the one that explains them is proved against the table; if none does, the run
   * is refused.
   */
  public PinotSinkBuilder<T> partitionIsSubtask() {
    this.partitionIsSubtask = true;
    this.partitioning = null;
    return this;
  }

  /**
   * Where real keys and their partitions come from, to prove the partitioning with; by default from
   * the table's own consumed segments.
   */
  public PinotSinkBuilder<T> keySamples(KeySamples samples) {
    this.keySamples = Objects.requireNonNull(samples, "samples is null");
    return this;
  }

  /**
   * Goes on where there is nothing to prove the partitioning with: a table that nothing was
   * streamed into yet. By default such a run is refused, since a wrong partitioning shows only
   * later, as keys with two rows.
   */
  public PinotSinkBuilder<T> acceptUnprovenPartitioning() {
    this.acceptsUnproven = true;
    return this;
  }

  /**
   * Who gets records that cannot become rows, with the reason. By default nobody, and the first
   * such record fails the job for good.
   */
  public PinotSinkBuilder<T> deadLetters(DeadLetterListener<T> listener) {
    this.deadLetters = Objects.requireNonNull(listener, "listener is null");
    return this;
  }

  /** How segments get to Pinot; {@link PinotPlan.Upload#DEFAULT} by default. */
  public PinotSinkBuilder<T> upload(PinotPlan.Upload newUpload) {
    this.upload = Objects.requireNonNull(newUpload, "upload is null");
    return this;
  }

  /** Which segments of others the first commit replaces; none by default. OFFLINE tables only. */
  public PinotSinkBuilder<T> replaced(ReplacedSegments segments) {
    this.replaced = Objects.requireNonNull(segments, "segments is null");
    this.replacesSegments = true;
    return this;
  }

  /**
   * Who wins where a streamed and a loaded row of one key are equally new; the stream by default.
   */
  public PinotSinkBuilder<T> tieRule(TieRule rule) {
    this.tieRule = Objects.requireNonNull(rule, "rule is null");
    return this;
  }

  /** How the table config is changed to mirror the watermark. */
  public PinotSinkBuilder<T> mirrorWrite(MirrorWrite write) {
    this.mirrorWrite = Objects.requireNonNull(write, "write is null");
    return this;
  }

  /** Counts something over the written records, and keeps it with every segment and commit. */
  public PinotSinkBuilder<T> accumulator(AccumulatorFactory<T, ?> factory) {
    accumulators.add(Objects.requireNonNull(factory, "factory is null"));
    return this;
  }

  /** A hook around every commit. */
  public PinotSinkBuilder<T> processor(CommitProcessor<PinotTableHandle> processor) {
    processors.add(Objects.requireNonNull(processor, "processor is null"));
    return this;
  }

  /** Who hears of late rows. */
  public PinotSinkBuilder<T> onLateRecords(LateDataListener listener) {
    lateListeners.add(Objects.requireNonNull(listener, "listener is null"));
    return this;
  }

  /** Reads the event time of a record; needed for {@link #finalization}. */
  public PinotSinkBuilder<T> eventTime(EventTimeExtractor<T> extractor) {
    this.eventTime = Objects.requireNonNull(extractor, "extractor is null");
    return this;
  }

  /** Which event times are credible. */
  public PinotSinkBuilder<T> eventTimeBounds(EventTimeBounds bounds) {
    this.eventTimeBounds = Objects.requireNonNull(bounds, "bounds is null");
    return this;
  }

  /** Forms the table's opinion from the facts; without it commits carry facts alone. */
  public PinotSinkBuilder<T> finalization(FinalizationConfig config) {
    this.finalization = Objects.requireNonNull(config, "config is null");
    return this;
  }

  /** Carries an opinion over from elsewhere instead of forming one; with {@link #finalization}. */
  public PinotSinkBuilder<T> opinionSource(OpinionSource source) {
    this.opinionSource = Objects.requireNonNull(source, "source is null");
    return this;
  }

  /**
   * Declares that the bounded input is complete when it ends: the granule of the highest event time
   * becomes final too. Leave it out where a drain may end the input early.
   */
  public PinotSinkBuilder<T> inputIsComplete() {
    this.inputIsComplete = true;
    return this;
  }

  /**
   * How often a hook may refuse one commit before the job fails for good; 5 by default.
   *
   * @param limit from 1 to 10, Flink's own limit on redelivery
   */
  public PinotSinkBuilder<T> maxPreCommitAborts(int limit) {
    if (limit < 1 || limit > FLINK_COMMIT_RETRIES) {
      throw new IllegalArgumentException(
          "Invalid limit of aborts: " + limit + " (expected: from 1 to 10)");
    }
    this.maxAborts = limit;
    return this;
  }

  /**
   * How far the comparison value of a row may be ahead of the clock, where it is a time; an hour by
   * default. A row beyond it would win over every row of its key that comes later: it fails the
   * job, or is a dead letter.
   *
   * @param limit zero or more
   */
  public PinotSinkBuilder<T> maxAhead(Duration limit) {
    if (limit.isNegative()) {
      throw new IllegalArgumentException(
          "Invalid limit ahead of the clock: " + limit + " (expected: zero or more)");
    }
    this.maxAhead = limit;
    return this;
  }

  /** Publishes elsewhere, for tests. */
  PinotSinkBuilder<T> publishers(PublisherFactory factory) {
    this.publishers = factory;
    return this;
  }

  /**
   * The sink for {@code DataStream.sinkTo}.
   *
   * @throws IllegalArgumentException if the options contradict each other or the table
   */
  public PinotSink<T> build() {
    return new PinotSink<>(plan());
  }

  /**
   * The same as a sink function, for programs that call {@code DataStream.addSink}. Each of its
   * subtasks commits for itself, so there is no finalization, and no replacing.
   *
   * @throws IllegalArgumentException if the options contradict each other or the table
   */
  public PinotSinkFunction<T> buildFunction() {
    return new PinotSinkFunction<>(functionPlan());
  }

  SinkPlan<T> functionPlan() {
    if (finalization != null
        || opinionSource != null
        || replacesSegments
        || !processors.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot finalize table "
              + table.table()
              + ", replace its segments, or call hooks from a sink function: its subtasks commit"
              + " each for itself (expected: PinotSink with sinkTo)");
    }
    return plan();
  }

  SinkPlan<T> plan() {
    checkPartitioning();
    if (finalization != null && eventTime == null && opinionSource == null) {
      throw new IllegalArgumentException(
          "Cannot finalize table "
              + table.table()
              + " without event times (expected: eventTime(...) beside finalization)");
    }
    Accumulators<T> all = new Accumulators<>(allAccumulators());
    return new SinkPlan<>(
        new WriterPlan<>(intake(), segmentPlan(), all),
        converter,
        isPartitioned() ? partitioning : null,
        new SinkPlan.Commits(
            publishers != null ? publishers : tablePublishers(all), maxAborts, timing),
        new SinkPlan.RunNaming(runId, runStartMillis));
  }

  private boolean isPartitioned() {
    return table.table().type() == PinotTable.Type.REALTIME;
  }

  private void checkPartitioning() {
    if (isPartitioned() && partitioning == null && !partitionIsSubtask) {
      throw new IllegalArgumentException(
          "Missing partitioning of table "
              + table.table()
              + " (expected: partitioning(...), as the producer of its stream does it)");
    }
  }

  private RowIntake<T> intake() {
    DeadLetterListener<T> letters = deadLetters;
    RejectionListener<T> listener = letters == null ? null : DeadLetters.to(letters);
    return new RowIntake<>(converter, Tombstones.of(table), route(), rule(), listener);
  }

  /** Where a test publishes, there is no table to read rules and keys from. */
  private RowRule rule() {
    return publishers != null
        ? RowRule.none()
        : new TableRowRule(table, controllerSettings(), maxAhead);
  }

  private RowRoute route() {
    if (!isPartitioned()) {
      return RowRoute.unpartitioned();
    }
    if (partitioning != null) {
      return Routes.byKey(partitioning);
    }
    boolean isChecked = publishers == null && table.tableConfig().isUpsertEnabled();
    return isChecked
        ? new CheckedSubtaskRoute(
            table.table(),
            controllerSettings(),
            table.primaryKeyColumns(),
            keySamples,
            acceptsUnproven)
        : Routes.bySubtask();
  }

  private SegmentPlan segmentPlan() {
    return new SegmentPlan(
        table,
        new Thresholds(
            segmentRows,
            segmentSize.getBytes(),
            Math.max(writerMemory.getBytes(), segmentSize.getBytes()),
            segmentAge),
        builds,
        stagingDirectory(),
        new SegmentPlan.Form(new SegmentNaming(table, segmentNamePrefix, tieRule), compression));
  }

  private String stagingDirectory() {
    String given =
        staging != null ? staging : batchConfig.get(BatchConfigProperties.OUTPUT_DIR_URI);
    return given != null
        ? given
        : Path.of(System.getProperty("java.io.tmpdir"), "tidemark-pinot").toUri().toString();
  }

  private TablePublishers tablePublishers(Accumulators<T> all) {
    PinotPlan.Builder plan =
        PinotPlan.builder(table.table(), controllerSettings())
            .upload(upload)
            .replaced(replaced)
            .tieRule(tieRule)
            .mirrorWrite(mirrorWrite)
            .accumulators(all)
            .finalization(finalization)
            .inputIsComplete(inputIsComplete)
            .processors(processors)
            .lateListeners(lateListeners);
    if (opinionSource != null) {
      plan.opinionSource(opinionSource);
    }
    if (isPartitioned() && partitioning != null) {
      plan.partitions(partitioning.partitions());
      if (table.tableConfig().isUpsertEnabled()) {
        plan.partitionProof(Routes.proof(partitioning, table, keySamples, acceptsUnproven));
      }
    }
    return new TablePublishers(plan.build(), compression, stagedGrace);
  }

  private ControllerSettings controllerSettings() {
    if (controller != null) {
      return controller;
    }
    String url = batchConfig.get(BatchConfigProperties.PUSH_CONTROLLER_URI);
    if (url == null) {
      throw new IllegalArgumentException(
          "Missing controller of table "
              + table.table()
              + " (expected: controller(...), or push.controllerUri in its batchConfigMap)");
    }
    return ControllerSettings.of(url);
  }

  private List<AccumulatorFactory<T, ?>> allAccumulators() {
    List<AccumulatorFactory<T, ?>> all = new ArrayList<>();
    if (eventTime != null) {
      all.add(
          new EventTimeAccumulatorFactory<>(
              eventTime,
              finalization == null ? Granularity.HOUR : finalization.granularity(),
              eventTimeBounds));
    }
    all.addAll(accumulators);
    return all;
  }

  private static Map<String, String> batchConfig(TableConfig config) {
    IngestionConfig ingestion = config.getIngestionConfig();
    BatchIngestionConfig batch = ingestion == null ? null : ingestion.getBatchIngestionConfig();
    List<Map<String, String>> maps = batch == null ? null : batch.getBatchConfigMaps();
    return maps == null || maps.isEmpty() ? Map.of() : Map.copyOf(maps.get(0));
  }
}

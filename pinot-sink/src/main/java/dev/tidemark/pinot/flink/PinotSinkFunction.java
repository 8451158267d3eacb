package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.flink.internal.LastCheckpoint;
import dev.tidemark.pinot.flink.internal.SinkCommittableSerializer;
import dev.tidemark.pinot.flink.internal.Submission;
import dev.tidemark.pinot.flink.internal.SubtaskCommits;
import dev.tidemark.pinot.flink.internal.SubtaskSink;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.sink.legacy.RichSinkFunction;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills a Pinot table from a stream, for {@code DataStream.addSink}: a drop-in for the function of
 * the connector that Pinot ships. Flink 2 keeps sink functions as a legacy; {@link PinotSink}
 * promises more and is the one to take for a new program.
 *
 * <table>
 * <caption>What is promised</caption>
 * <tr><td>stream with checkpoints</td>
 *   <td>exactly once for each subtask: its rows are published when a checkpoint is complete; not
 *   atomic across subtasks</td></tr>
 * <tr><td>stream without checkpoints, BATCH</td>
 *   <td>at least once: published at the end of the input; a job that fails there may leave part of
 *   it visible</td></tr>
 * <tr><td>end of input with checkpoints but without the last one
 *   ({@code checkpoints-after-tasks-finish=false})</td>
 *   <td>refused: the job fails instead of ending with rows missing</td></tr>
 * <tr><td>unbounded stream without checkpoints</td>
 *   <td>a warning in the log: nothing is published before the input ends, and a function cannot see
 *   whether it will</td></tr>
 * </table>
 *
 * <p>Nothing is ever published when the function is closed.
 *
 * <p>A job that is wound back to an older savepoint replaces what it had published after it, each
 * subtask its own with its first commit; until then those rows are there twice. With fewer subtasks
 * than published since the savepoint, an OFFLINE table is refused, since nobody would replace the
 * segments of the others. {@link PinotSink} has neither limit.
 *
 * @param <T> the record
 */
public final class PinotSinkFunction<T> extends RichSinkFunction<T>
    implements CheckpointedFunction, CheckpointListener {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(PinotSinkFunction.class);

  /** Rows of a full segment. */
  public static final long DEFAULT_SEGMENT_FLUSH_MAX_NUM_RECORDS =
      PinotSinkBuilder.DEFAULT_SEGMENT_ROWS;

  /** Segments that a subtask builds at a time. */
  public static final int DEFAULT_EXECUTOR_POOL_SIZE = 5;

  private final SubtaskSink<T> sink;
  private final CommitTiming timing;
  private transient @Nullable SubtaskCommits<T> subtask;
  private transient @Nullable ListState<byte[]> rowState;
  private transient @Nullable ListState<byte[]> commitState;
  private transient long lastCheckpointId;
  private transient long lastCommitMillis;

  PinotSinkFunction(SinkPlan<T> plan) {
    Submission submission = plan.naming().submission();
    this.sink =
        new SubtaskSink<>(
            plan.writer(), plan.commits().publishers(), plan.commits().maxAborts(), submission);
    this.timing = plan.commits().timing();
  }

  /**
   * A sink with the defaults, to the controller that the table's batch configuration names. The
   * partition of a REALTIME table is the number of the subtask: partition in front of the sink, and
   * run it with as many subtasks as the stream has partitions.
   */
  public PinotSinkFunction(
      PinotGenericRowConverter<T> recordConverter, TableConfig tableConfig, Schema schema) {
    this(
        recordConverter,
        tableConfig,
        schema,
        DEFAULT_SEGMENT_FLUSH_MAX_NUM_RECORDS,
        DEFAULT_EXECUTOR_POOL_SIZE);
  }

  /** The same, to this controller. */
  public PinotSinkFunction(
      PinotGenericRowConverter<T> recordConverter,
      TableConfig tableConfig,
      Schema schema,
      String controllerBaseUrl) {
    this(
        Ported.builder(
                recordConverter,
                tableConfig,
                schema,
                new Ported.Flush(DEFAULT_SEGMENT_FLUSH_MAX_NUM_RECORDS, DEFAULT_EXECUTOR_POOL_SIZE))
            .controller(controllerBaseUrl)
            .functionPlan());
  }

  /** The same, with this many rows in a segment and this many builds at a time. */
  public PinotSinkFunction(
      PinotGenericRowConverter<T> recordConverter,
      TableConfig tableConfig,
      Schema schema,
      long segmentFlushMaxNumRecords,
      int executorPoolSize) {
    this(
        recordConverter,
        tableConfig,
        schema,
        segmentFlushMaxNumRecords,
        executorPoolSize,
        null,
        null);
  }

  /**
   * The same, with a prefix of the segments' names and a time for the run.
   *
   * @param segmentUploadTimeMs the beginning of the run, epoch milliseconds; now if it is null
   */
  public PinotSinkFunction(
      PinotGenericRowConverter<T> recordConverter,
      TableConfig tableConfig,
      Schema schema,
      long segmentFlushMaxNumRecords,
      int executorPoolSize,
      @Nullable String segmentNamePrefix,
      @Nullable Long segmentUploadTimeMs) {
    this(
        Ported.builder(
                recordConverter,
                tableConfig,
                schema,
                new Ported.Flush(segmentFlushMaxNumRecords, executorPoolSize))
            .segmentNamePrefix(segmentNamePrefix)
            .runStartMillis(segmentUploadTimeMs)
            .functionPlan());
  }

  /** A sink with options. */
  public static <T> PinotSinkBuilder<T> builder(
      PinotGenericRowConverter<T> converter, TableConfig config, Schema schema) {
    return new PinotSinkBuilder<>(converter, config, schema);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    // No union state: Flink takes no checkpoint of one where some subtasks have finished, so that a
    // failure of another at the end would leave the job waiting for its last checkpoint for ever.
    ListState<byte[]> rows = context.getOperatorStateStore().getListState(state("pinot-rows"));
    ListState<byte[]> commits =
        context.getOperatorStateStore().getListState(state("pinot-commits"));
    StreamingRuntimeContext runtime = (StreamingRuntimeContext) getRuntimeContext();
    this.subtask =
        sink.subtask(
            new SubtaskSink.Place(
                runtime.getTaskInfo(), runtime.getMetricGroup(), context.getRestoredCheckpointId()),
            read(rows, sink.stateSerializer()),
            read(commits, new SinkCommittableSerializer()));
    this.rowState = rows;
    this.commitState = commits;
    this.lastCheckpointId = context.getRestoredCheckpointId().orElse(0);
    this.lastCommitMillis = runtime.getProcessingTimeService().getCurrentProcessingTime();
    if (!runtime.isCheckpointingEnabled() && runtime.getTaskInfo().getIndexOfThisSubtask() == 0) {
      LOG.warn(
          "The job takes no checkpoints: rows are published at the end of the input alone. Set {}"
              + " if there is none.",
          CheckpointingOptions.CHECKPOINTING_INTERVAL.key());
    }
  }

  @Override
  public void invoke(T value, Context context) throws Exception {
    current().write(value);
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    lastCheckpointId = context.getCheckpointId();
    SubtaskCommits<T> commits = current();
    commits.closeOld();
    if (isDue(context.getCheckpointId())) {
      commits.prepare(context.getCheckpointId());
    }
    write(rowState, sink.stateSerializer(), commits.rows());
    write(commitState, new SinkCommittableSerializer(), commits.waiting());
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    current().publishUpTo(checkpointId);
  }

  @Override
  public void finish() throws Exception {
    StreamingRuntimeContext runtime = (StreamingRuntimeContext) getRuntimeContext();
    if (!runtime.isCheckpointingEnabled()) {
      current().end(Long.MAX_VALUE);
      current().publishUpTo(Long.MAX_VALUE);
      return;
    }
    LastCheckpoint.requireIn(runtime.getJobConfiguration());
    current().end(lastCheckpointId + 1);
  }

  @Override
  public void close() throws Exception {
    if (subtask != null) {
      subtask.close();
    }
  }

  /** Subtasks commit each for itself, so the time of the last commit is theirs alone too. */
  private boolean isDue(long checkpointId) {
    if (timing.checkpoints() != null) {
      return checkpointId % timing.checkpoints() == 0;
    }
    RuntimeContext runtime = getRuntimeContext();
    long now =
        ((StreamingRuntimeContext) runtime).getProcessingTimeService().getCurrentProcessingTime();
    if (now - lastCommitMillis < Objects.requireNonNull(timing.interval()).toMillis()) {
      return false;
    }
    lastCommitMillis = now;
    return true;
  }

  private SubtaskCommits<T> current() {
    return Objects.requireNonNull(subtask, "not initialized");
  }

  private static ListStateDescriptor<byte[]> state(String name) {
    return new ListStateDescriptor<>(name, BytePrimitiveArraySerializer.INSTANCE);
  }

  private static <V> List<V> read(ListState<byte[]> state, SimpleVersionedSerializer<V> serializer)
      throws Exception {
    List<V> values = new ArrayList<>();
    for (byte[] bytes : state.get()) {
      values.add(SimpleVersionedSerialization.readVersionAndDeSerialize(serializer, bytes));
    }
    return values;
  }

  private static <V> void write(
      @Nullable ListState<byte[]> state, SimpleVersionedSerializer<V> serializer, List<V> values)
      throws Exception {
    List<byte[]> all = new ArrayList<>();
    for (V value : values) {
      all.add(bytes(serializer, value));
    }
    Objects.requireNonNull(state).update(all);
  }

  private static <V> byte[] bytes(SimpleVersionedSerializer<V> serializer, V value)
      throws IOException {
    return SimpleVersionedSerialization.writeVersionAndSerialize(serializer, value);
  }
}

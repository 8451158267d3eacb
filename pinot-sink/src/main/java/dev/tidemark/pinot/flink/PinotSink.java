package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.flink.internal.BackfillSink;
import dev.tidemark.pinot.flink.internal.CommitCadence;
import dev.tidemark.pinot.flink.internal.SinkCommittable;
import dev.tidemark.pinot.flink.internal.SinkCommittableSerializer;
import dev.tidemark.pinot.flink.internal.WriterResult;
import dev.tidemark.pinot.flink.internal.WriterResultSerializer;
import dev.tidemark.pinot.flink.internal.WriterState;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.SupportsConcurrentExecutionAttempts;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Fills a Pinot table from a stream, for {@code DataStream.sinkTo}: rows are put into columnar
 * buffers, built into segments, staged, and published with commits.
 *
 * <pre>{@code
 * records -> [by partition] -> writer 1..n -> aggregator (1) -> committer (subtask 0) -> Pinot
 *                              buffers, builds,  one commit       publishes, when the
 *                              staging           of all writers   checkpoint is complete
 * }</pre>
 *
 * <table>
 * <caption>What is promised</caption>
 * <tr><td>stream with checkpoints, OFFLINE table</td>
 *   <td>exactly once; a commit appears as one</td></tr>
 * <tr><td>stream with checkpoints, REALTIME table with full upsert</td>
 *   <td>an exactly-once result; rows show as their segments load</td></tr>
 * <tr><td>stream without checkpoints, BATCH</td><td>one commit at the end</td></tr>
 * <tr><td>bounded stream with checkpoints but without the last one
 *   ({@code checkpoints-after-tasks-finish=false})</td>
 *   <td>refused: Flink would end with rows missing</td></tr>
 * <tr><td>unbounded stream without checkpoints</td>
 *   <td>refused: nothing would ever be published; an old source that does not say whether it ends
 *   gets a warning in the log</td></tr>
 * </table>
 *
 * <p>A segment is not a checkpoint: a commit is made at an interval, 5 minutes by default, and ends
 * all buffers; between commits rows of open buffers are part of Flink's checkpoints. A cancelled
 * job publishes nothing that no completed checkpoint covers.
 *
 * <p>The constructors are those of the connector that Pinot ships; {@link #builder} has all
 * options.
 *
 * @param <T> the record
 */
public final class PinotSink<T>
    implements Sink<T>,
        SupportsWriterState<T, WriterState>,
        SupportsCommitter<SinkCommittable>,
        SupportsPreWriteTopology<T>,
        SupportsPreCommitTopology<WriterResult, SinkCommittable>,
        SupportsConcurrentExecutionAttempts {
  private static final long serialVersionUID = 1L;

  /** Rows of a full segment. */
  public static final long DEFAULT_SEGMENT_FLUSH_MAX_NUM_RECORDS =
      PinotSinkBuilder.DEFAULT_SEGMENT_ROWS;

  /** Segments that a writer builds at a time. */
  public static final int DEFAULT_EXECUTOR_POOL_SIZE = 5;

  private final SinkPlan<T> plan;
  private BackfillSink<T> operators;

  PinotSink(SinkPlan<T> plan) {
    this.plan = plan;
    this.operators = operators(new CommitCadence(1));
  }

  /**
   * A sink with the defaults, to the controller that the table's batch configuration names. The
   * partition of a REALTIME table is the number of the subtask, as in the connector that Pinot
   * ships; see {@link PinotSinkBuilder#partitioning} for better.
   */
  public PinotSink(PinotGenericRowConverter<T> converter, TableConfig config, Schema schema) {
    this(
        converter,
        config,
        schema,
        DEFAULT_SEGMENT_FLUSH_MAX_NUM_RECORDS,
        DEFAULT_EXECUTOR_POOL_SIZE);
  }

  /** The same, to this controller. */
  public PinotSink(
      PinotGenericRowConverter<T> converter,
      TableConfig config,
      Schema schema,
      String controllerBaseUrl) {
    this(
        Ported.builder(
                converter,
                config,
                schema,
                new Ported.Flush(DEFAULT_SEGMENT_FLUSH_MAX_NUM_RECORDS, DEFAULT_EXECUTOR_POOL_SIZE))
            .controller(controllerBaseUrl)
            .plan());
  }

  /** The same, with this many rows in a segment and this many builds at a time. */
  public PinotSink(
      PinotGenericRowConverter<T> converter,
      TableConfig config,
      Schema schema,
      long segmentFlushMaxNumRecords,
      int executorPoolSize) {
    this(converter, config, schema, segmentFlushMaxNumRecords, executorPoolSize, null, null);
  }

  /**
   * The same, with a prefix of the segments' names and a time for the run.
   *
   * @param segmentUploadTimeMs the beginning of the run, epoch milliseconds; now if it is null
   */
  public PinotSink(
      PinotGenericRowConverter<T> converter,
      TableConfig config,
      Schema schema,
      long segmentFlushMaxNumRecords,
      int executorPoolSize,
      @Nullable String segmentNamePrefix,
      @Nullable Long segmentUploadTimeMs) {
    this(
        Ported.builder(
                converter,
                config,
                schema,
                new Ported.Flush(segmentFlushMaxNumRecords, executorPoolSize))
            .segmentNamePrefix(segmentNamePrefix)
            .runStartMillis(segmentUploadTimeMs)
            .plan());
  }

  /** A sink with options. */
  public static <T> PinotSinkBuilder<T> builder(
      PinotGenericRowConverter<T> converter, TableConfig config, Schema schema) {
    return new PinotSinkBuilder<>(converter, config, schema);
  }

  @Override
  public DataStream<T> addPreWriteTopology(DataStream<T> records) {
    BoundedInput.check(records);
    CheckpointConfig checkpoints = records.getExecutionEnvironment().getCheckpointConfig();
    this.operators =
        operators(
            plan.commits()
                .timing()
                .cadence(
                    checkpoints.isCheckpointingEnabled()
                        ? checkpoints.getCheckpointInterval()
                        : 0));
    PinotPartitioning partitioning = plan.partitioning();
    return partitioning == null
        ? records
        : PinotPartitioning.partitionByPrimaryKey(records, plan.converter(), partitioning);
  }

  @Override
  public StatefulSinkWriter<T, WriterState> createWriter(WriterInitContext context)
      throws IOException {
    return operators.writer(context, List.of());
  }

  @Override
  public StatefulSinkWriter<T, WriterState> restoreWriter(
      WriterInitContext context, Collection<WriterState> states) throws IOException {
    return operators.writer(context, states);
  }

  @Override
  public DataStream<CommittableMessage<SinkCommittable>> addPreCommitTopology(
      DataStream<CommittableMessage<WriterResult>> results) {
    return operators.preCommit(results);
  }

  @Override
  public Committer<SinkCommittable> createCommitter(CommitterInitContext context) {
    return operators.committer(context);
  }

  @Override
  public SimpleVersionedSerializer<WriterState> getWriterStateSerializer() {
    return operators.stateSerializer();
  }

  @Override
  public SimpleVersionedSerializer<WriterResult> getWriteResultSerializer() {
    return new WriterResultSerializer();
  }

  @Override
  public SimpleVersionedSerializer<SinkCommittable> getCommittableSerializer() {
    return new SinkCommittableSerializer();
  }

  private BackfillSink<T> operators(CommitCadence cadence) {
    return new BackfillSink<>(
        plan.writer(),
        plan.commits().publishers(),
        plan.commits().maxAborts(),
        cadence,
        plan.naming().submission());
  }
}

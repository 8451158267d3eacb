package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.coverage.Coverage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.DeltaManifests;
import org.apache.iceberg.flink.sink.DeltaManifestsSerializer;
import org.apache.iceberg.flink.sink.FlinkManifestUtil;
import org.apache.iceberg.flink.sink.ManifestOutputFileFactory;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;

/**
 * Puts what all writers hand over before one barrier together into one committable, as the stock
 * aggregator does: the files into temporary manifests, the accumulators merged once, and an id for
 * the commit. Runs with parallelism 1 and keeps no state: what it holds between two barriers is
 * emitted before the second.
 */
abstract class CommitAggregator
    extends AbstractStreamOperator<CommittableMessage<SinkCommittable>> {
  private static final long serialVersionUID = 1L;

  private final TableLoader tableLoader;
  private final Accumulators<RowData> accumulators;
  private final CommitIds commitIds;
  private final boolean inputDeclaredComplete;

  private transient List<CountedWriteResult> results = new ArrayList<>();
  private transient long lastCheckpointId = CheckpointIDCounter.INITIAL_CHECKPOINT_ID - 1;
  private transient @Nullable Table table;
  private transient @Nullable ManifestOutputFileFactory manifestFiles;

  CommitAggregator(
      TableLoader tableLoader,
      Accumulators<RowData> accumulators,
      CommitIds commitIds,
      boolean inputDeclaredComplete) {
    this.tableLoader = tableLoader;
    this.accumulators = accumulators;
    this.commitIds = commitIds;
    this.inputDeclaredComplete = inputDeclaredComplete;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    results = new ArrayList<>();
    lastCheckpointId =
        context.getRestoredCheckpointId().orElse(CheckpointIDCounter.INITIAL_CHECKPOINT_ID - 1);
  }

  @Override
  public void open() throws Exception {
    if (!tableLoader.isOpen()) {
      tableLoader.open();
    }
    Table loaded = tableLoader.loadTable();
    this.table = loaded;
    this.manifestFiles =
        FlinkManifestUtil.createOutputFileFactory(
            () -> loaded,
            loaded.properties(),
            jobId(),
            getOperatorID().toString(),
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
            getRuntimeContext().getTaskInfo().getAttemptNumber());
  }

  @Override
  public void finish() throws Exception {
    emit(lastCheckpointId + 1, inputDeclaredComplete);
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    if (checkpointId != lastCheckpointId) {
      emit(checkpointId, false);
    }
  }

  @Override
  public void close() throws Exception {
    tableLoader.close();
    super.close();
  }

  /** Takes what one writer handed over. */
  void accept(CommittableMessage<CountedWriteResult> message) {
    if (message instanceof CommittableWithLineage<CountedWriteResult> withLineage) {
      results.add(withLineage.getCommittable());
    }
  }

  /** Where the source stands at this barrier; null without coverage. */
  abstract @Nullable Coverage coverage();

  private void emit(long checkpointId, boolean inputEnded) throws IOException {
    lastCheckpointId = checkpointId;
    CommitIds.Made made =
        commitIds.next(
            checkpointId,
            getContainingTask().getConfiguration().isCheckpointingEnabled(),
            getProcessingTimeService().getCurrentProcessingTime());
    SinkCommittable committable =
        new SinkCommittable(
            writeManifests(checkpointId),
            jobId(),
            getRuntimeContext().getOperatorUniqueID(),
            checkpointId,
            new SinkCommittable.Trailer(
                made.id(), made.createdAtMillis(), mergeAccumulators(), coverage(), inputEnded));
    results.clear();
    output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, checkpointId, 1, 0)));
    output.collect(new StreamRecord<>(new CommittableWithLineage<>(committable, checkpointId, 0)));
  }

  private Map<String, byte[]> mergeAccumulators() {
    return accumulators.merge(results.stream().map(CountedWriteResult::counted).toList());
  }

  private byte[] writeManifests(long checkpointId) throws IOException {
    if (results.isEmpty()) {
      return new byte[0];
    }
    Table current = Objects.requireNonNull(table);
    ManifestOutputFileFactory files = Objects.requireNonNull(manifestFiles);
    WriteResult all =
        WriteResult.builder()
            .addAll(results.stream().map(CountedWriteResult::files).toList())
            .build();
    DeltaManifests manifests =
        FlinkManifestUtil.writeCompletedFiles(
            all,
            () -> files.create(checkpointId),
            current.spec(),
            TableUtil.formatVersion(current));
    return SimpleVersionedSerialization.writeVersionAndSerialize(
        DeltaManifestsSerializer.INSTANCE, manifests);
  }

  private String jobId() {
    return getContainingTask().getEnvironment().getJobID().toString();
  }
}

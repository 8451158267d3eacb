package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Puts what the writers hand over together into commits. A commit is made before a barrier for
 * which <em>every</em> writer closed everything: then it covers all rows before that barrier. What
 * only some handed over, because a checkpoint was given up on the way, stays in this operator's
 * state until the next barrier for which all did. Runs with parallelism 1.
 */
final class CommitAggregator extends AbstractStreamOperator<CommittableMessage<SinkCommittable>>
    implements OneInputStreamOperator<
        CommittableMessage<WriterResult>, CommittableMessage<SinkCommittable>> {
  private static final long serialVersionUID = 1L;
  private static final ListStateDescriptor<byte[]> STATE =
      new ListStateDescriptor<>("pinot-waiting", BytePrimitiveArraySerializer.INSTANCE);

  private final Accumulators<?> accumulators;
  private final Submission submission;

  private transient List<WriterResult> waiting = new ArrayList<>();
  private transient Map<Integer, Handover> writers = new HashMap<>();
  private transient int parallelism;
  private transient long lastCheckpointId;
  private transient @Nullable Run run;
  private transient boolean hasCommitted;
  private transient boolean lastIsUnkept;
  private transient long lastKeptBy;
  private transient @Nullable ListState<byte[]> state;

  /**
   * The last time that a writer handed over.
   *
   * @param checkpointId the barrier before which it did
   * @param ended whether nothing follows
   */
  private record Handover(long checkpointId, boolean ended) {
    boolean covers(long barrier) {
      return checkpointId == barrier || (ended && checkpointId <= barrier);
    }
  }

  CommitAggregator(Accumulators<?> accumulators, Submission submission) {
    this.accumulators = accumulators;
    this.submission = submission;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    waiting = new ArrayList<>();
    writers = new HashMap<>();
    OptionalLong restored = context.getRestoredCheckpointId();
    lastCheckpointId = restored.orElse(0);
    ListState<byte[]> kept = context.getOperatorStateStore().getListState(STATE);
    state = kept;
    Run keptRun = null;
    for (byte[] bytes : kept.get()) {
      WriterResult result =
          SimpleVersionedSerialization.readVersionAndDeSerialize(
              new WriterResultSerializer(), bytes);
      // The first entry is this operator's own; later ones are of writers, from any epoch.
      keptRun = keptRun == null ? result.run() : keptRun;
      waiting.add(result);
    }
    run = submission.resumed(keptRun, restored);
    hasCommitted = false;
  }

  @Override
  public void processElement(StreamRecord<CommittableMessage<WriterResult>> element) {
    CommittableMessage<WriterResult> message = element.getValue();
    if (message instanceof CommittableSummary<WriterResult> summary) {
      parallelism = summary.getNumberOfSubtasks();
    } else if (message instanceof CommittableWithLineage<WriterResult> handedOver) {
      WriterResult result = handedOver.getCommittable();
      waiting.add(result);
      writers.put(
          handedOver.getSubtaskId(),
          new Handover(handedOver.getCheckpointIdOrEOI(), result.ended()));
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    if (checkpointId == lastCheckpointId) {
      return;
    }
    lastCheckpointId = checkpointId;
    boolean isComplete =
        parallelism > 0
            && writers.size() == parallelism
            && writers.values().stream().allMatch(writer -> writer.covers(checkpointId));
    if (isComplete) {
      emit(checkpointId, checkpointId, false);
    }
  }

  /**
   * The end of the input, or of a drain after which the run goes on: the last commit has a
   * checkpoint's number too, so that a restore from a later one does not take it for something to
   * be replaced.
   */
  @Override
  public void finish() {
    lastIsUnkept = keepsState();
    lastKeptBy = Long.MAX_VALUE;
    long carriedBy = ++lastCheckpointId;
    emit(keepsState() ? carriedBy : Long.MAX_VALUE, carriedBy, true);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    if (lastIsUnkept) {
      lastKeptBy = Math.min(lastKeptBy, context.getCheckpointId());
    }
    List<byte[]> kept = new ArrayList<>();
    // The first entry names the run, whether or not anything waits, and where it was restored from
    // as long as no commit says so.
    Run keptRun = hasCommitted ? Submission.afterCommit(currentRun()) : currentRun();
    kept.add(bytes(new WriterResult(keptRun, false, List.of(), List.of())));
    for (WriterResult result : waiting) {
      kept.add(bytes(result));
    }
    Objects.requireNonNull(state).update(kept);
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    if (lastIsUnkept && checkpointId >= lastKeptBy) {
      lastIsUnkept = false;
    }
  }

  /**
   * The last commit must have been in a checkpoint that is complete. A drain takes its savepoint
   * after the end; where a source has ended by itself and no checkpoint follows, the task must not
   * finish well.
   */
  @Override
  public void close() throws Exception {
    super.close();
    if (lastIsUnkept) {
      LastCheckpoint.requireIn(getRuntimeContext().getJobConfiguration());
    }
  }

  private void emit(long checkpointId, long carriedBy, boolean inputEnded) {
    List<StagedSegment> segments =
        waiting.stream().flatMap(result -> result.segments().stream()).toList();
    Map<String, byte[]> facts =
        accumulators.merge(waiting.stream().flatMap(result -> result.facts().stream()).toList());
    PinotCommit commit =
        new PinotCommit(
            nextId(carriedBy),
            currentRun(),
            checkpointId,
            new PinotCommit.Delivery(false, inputEnded),
            segments,
            facts);
    waiting.clear();
    hasCommitted = true;
    output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, carriedBy, 1, 0)));
    output.collect(
        new StreamRecord<>(
            new CommittableWithLineage<>(new SinkCommittable(commit, carriedBy), carriedBy, 0)));
  }

  /**
   * With checkpoints an id is random and kept in state. Without them nothing is kept: after a
   * failure all is read and built again, perhaps after the commit had landed, so the id is that of
   * the submission, the same at each attempt.
   */
  private CommitId nextId(long carriedBy) {
    if (keepsState()) {
      return CommitId.random();
    }
    String name = submission.run().id() + "/" + submission.submittedAtMillis() + "/" + carriedBy;
    return new CommitId(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  private boolean keepsState() {
    return getContainingTask().getConfiguration().isCheckpointingEnabled();
  }

  private Run currentRun() {
    return Objects.requireNonNull(run);
  }

  private static byte[] bytes(WriterResult result) throws IOException {
    return SimpleVersionedSerialization.writeVersionAndSerialize(
        new WriterResultSerializer(), result);
  }
}

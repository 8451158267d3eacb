package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.util.Collection;
import java.util.OptionalLong;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.groups.OperatorMetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * What {@code PinotSinkFunction} is made of.
 *
 * @param plan what a writer does
 * @param publishers makes the publisher of each subtask
 * @param maxAborts how often a hook may refuse one commit
 * @param submission the run
 */
public record SubtaskSink<T>(
    WriterPlan<T> plan, PublisherFactory publishers, int maxAborts, Submission submission)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * A subtask, with what earlier ones left. The table is asked first: where it is refused, nothing
   * was opened that would have to be closed.
   */
  public SubtaskCommits<T> subtask(
      Place place, Collection<WriterState> rows, Collection<SinkCommittable> commits)
      throws IOException, InterruptedException {
    int index = place.task().getIndexOfThisSubtask();
    KeptParts kept = new KeptParts(rows.stream().map(WriterState::run).toList());
    Run job =
        submission.resumedUnlikeEarlierAttempts(
            kept.jobRun(index), place.restoredCheckpoint(), place.task().getAttemptNumber());
    Run run =
        new Run(
            RestoredParts.partId(job.id(), index),
            job.startMillis(),
            job.restoreEpoch(),
            job.restoredCheckpoint());
    Publishing publishing = new Publishing(publishers.create(), maxAborts, place.metrics());
    try {
      publishing.start();
      checkNoneLeftBehind(job, kept, place);
      return started(publishing, run, place, rows, commits);
    } catch (IOException | InterruptedException | RuntimeException e) {
      publishing.close();
      throw e;
    }
  }

  private SubtaskCommits<T> started(
      Publishing publishing,
      Run run,
      Place place,
      Collection<WriterState> rows,
      Collection<SinkCommittable> commits)
      throws IOException, InterruptedException {
    WriterContext context =
        new WriterContext(run, place.task(), Clock.systemUTC(), WriterMetrics.of(place.metrics()));
    SubtaskCommits<T> subtask = new SubtaskCommits<>(plan, context, publishing);
    try {
      subtask.restore(rows, commits);
      return subtask;
    } catch (InterruptedException | RuntimeException e) {
      subtask.close();
      throw e;
    }
  }

  private void checkNoneLeftBehind(Run job, KeptParts kept, Place place) {
    int index = place.task().getIndexOfThisSubtask();
    OptionalLong unsure = kept.earliestOfOthers(index);
    if (place.restoredCheckpoint().isEmpty() || (index > 0 && unsure.isEmpty())) {
      return;
    }
    long restored = place.restoredCheckpoint().getAsLong();
    try {
      publishers.checkNoneLeftBehind(
          new RestoredParts(
              job.id(),
              place.task().getNumberOfParallelSubtasks(),
              restored,
              Math.min(restored, unsure.orElse(restored))));
    } catch (IllegalArgumentException e) {
      throw new SuppressRestartsException(e);
    }
  }

  /**
   * Where a subtask runs.
   *
   * @param restoredCheckpoint empty at first
   */
  public record Place(
      TaskInfo task, OperatorMetricGroup metrics, OptionalLong restoredCheckpoint) {}

  /** The bytes of rows in state. */
  public SimpleVersionedSerializer<WriterState> stateSerializer() {
    return new WriterStateSerializer(plan.segments().table());
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
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

  /** A subtask, with what earlier ones left. */
  public SubtaskCommits<T> subtask(
      Place place, Collection<WriterState> rows, Collection<SinkCommittable> commits)
      throws IOException, InterruptedException {
    Run kept =
        place.keptRuns().stream().max(Comparator.comparingInt(Run::restoreEpoch)).orElse(null);
    Run job =
        submission.resumedUnlikeEarlierAttempts(
            kept, place.restoredCheckpoint(), place.task().getAttemptNumber());
    Run run =
        new Run(
            RestoredParts.partId(job.id(), place.task().getIndexOfThisSubtask()),
            job.startMillis(),
            job.restoreEpoch(),
            job.restoredCheckpoint());
    Publishing publishing = new Publishing(publishers.create(), maxAborts, place.metrics());
    WriterContext context =
        new WriterContext(run, place.task(), Clock.systemUTC(), WriterMetrics.of(place.metrics()));
    SubtaskCommits<T> subtask = new SubtaskCommits<>(plan, context, job, publishing);
    publishing.start();
    checkNoneLeftBehind(job, place);
    subtask.restore(rows, commits);
    return subtask;
  }

  private void checkNoneLeftBehind(Run job, Place place) {
    if (place.restoredCheckpoint().isEmpty() || place.task().getIndexOfThisSubtask() > 0) {
      return;
    }
    try {
      publishers.checkNoneLeftBehind(
          new RestoredParts(
              job.id(),
              place.task().getNumberOfParallelSubtasks(),
              place.restoredCheckpoint().getAsLong()));
    } catch (IllegalArgumentException e) {
      throw new SuppressRestartsException(e);
    }
  }

  /**
   * Where a subtask runs.
   *
   * @param keptRuns the run as state has it, several times; empty at first
   * @param restoredCheckpoint empty at first
   */
  public record Place(
      TaskInfo task,
      OperatorMetricGroup metrics,
      Collection<Run> keptRuns,
      OptionalLong restoredCheckpoint) {}

  /** The bytes of rows in state. */
  public SimpleVersionedSerializer<WriterState> stateSerializer() {
    return new WriterStateSerializer(plan.segments().table());
  }
}

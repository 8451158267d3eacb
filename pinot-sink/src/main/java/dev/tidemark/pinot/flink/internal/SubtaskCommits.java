package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * One subtask that commits for itself: what a sink function does. Its rows are a run of their own,
 * so that no commit of another subtask is taken for one of its. Used by the task's thread.
 */
public final class SubtaskCommits<T> implements AutoCloseable {
  private final BackfillWriter<T> writer;
  private final Accumulators<T> accumulators;
  private final Publishing publishing;
  private final Run run;
  private final List<SinkCommittable> waiting = new ArrayList<>();
  private boolean hasEnded;
  private boolean hasCommitted;

  SubtaskCommits(WriterPlan<T> plan, WriterContext context, Publishing publishing)
      throws IOException {
    this.writer = new BackfillWriter<>(plan, context);
    this.accumulators = plan.accumulators();
    this.run = context.run();
    this.publishing = publishing;
  }

  /** Takes over rows and commits of earlier subtasks, and publishes those commits. */
  public void restore(Collection<WriterState> states, Collection<SinkCommittable> commits)
      throws InterruptedException {
    writer.restore(states);
    waiting.addAll(commits);
    waiting.sort(Comparator.comparingLong(SinkCommittable::carriedBy));
    publish(Long.MAX_VALUE, true);
  }

  /** Takes one record. */
  public void write(T record) throws IOException, InterruptedException {
    writer.write(record);
  }

  /** Closes what is open into a commit that waits for the completion of a checkpoint. */
  public void prepare(long checkpointId) throws IOException, InterruptedException {
    if (!hasEnded) {
      waiting.add(commit(checkpointId));
    }
  }

  /**
   * Closes what is open, since the input has ended.
   *
   * @param nextCheckpointId the one that will carry the commit
   */
  public void end(long nextCheckpointId) throws IOException, InterruptedException {
    waiting.add(commit(nextCheckpointId));
    hasEnded = true;
  }

  /** Publishes what waits, up to a checkpoint that is complete. */
  public void publishUpTo(long checkpointId) throws InterruptedException {
    publish(checkpointId, false);
  }

  /** What waits to be published. */
  public List<SinkCommittable> waiting() {
    return List.copyOf(waiting);
  }

  /** Closes buffers that are too old; called with each checkpoint. */
  public void closeOld() throws IOException, InterruptedException {
    writer.closeOld();
  }

  /** The rows that no commit has yet; every entry names the run of this subtask. */
  public List<WriterState> rows() throws IOException, InterruptedException {
    return writer.snapshot(hasCommitted ? Submission.afterCommit(run) : run);
  }

  @Override
  public void close() throws IOException {
    try {
      writer.close();
    } finally {
      publishing.close();
    }
  }

  private SinkCommittable commit(long checkpointId) throws IOException, InterruptedException {
    WriterResult result = writer.closeAll(hasEnded);
    PinotCommit commit =
        new PinotCommit(
            CommitId.random(),
            run,
            checkpointId,
            new PinotCommit.Delivery(false, false),
            result.segments(),
            accumulators.merge(result.facts()));
    hasCommitted = true;
    return new SinkCommittable(commit, checkpointId);
  }

  /** A commit without rows matters if it may take away what was published after a savepoint. */
  private static boolean changesNothing(PinotCommit commit) {
    return commit.segments().isEmpty() && commit.run().restoredCheckpoint() == null;
  }

  private void publish(long upTo, boolean redelivered) throws InterruptedException {
    while (!waiting.isEmpty() && waiting.get(0).carriedBy() <= upTo) {
      PinotCommit commit = waiting.get(0).commit();
      PinotCommit delivered =
          new PinotCommit(
              commit.id(),
              commit.run(),
              commit.checkpointId(),
              new PinotCommit.Delivery(redelivered, commit.delivery().inputEnded()),
              commit.segments(),
              commit.accumulated());
      // A hook that refuses is asked again until its limit fails the job.
      if (changesNothing(commit) || publishing.publish(delivered)) {
        waiting.remove(0);
      }
    }
  }
}

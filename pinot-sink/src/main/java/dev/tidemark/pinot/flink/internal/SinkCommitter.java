package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.commit.PinotCommit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;

/**
 * The Flink side of publishing: commits in the order of their checkpoints, by the first subtask
 * alone. A commit that cannot be published fails the job, so that Flink restores and delivers it
 * again; never is one dropped.
 */
final class SinkCommitter implements Committer<SinkCommittable> {
  private final Publishing publishing;
  private final OptionalLong restoredCheckpoint;
  private final boolean isRestarted;

  SinkCommitter(Publishing publishing, CommitterInitContext context) {
    this.publishing = publishing;
    this.restoredCheckpoint = context.getRestoredCheckpointId();
    this.isRestarted = context.getTaskInfo().getAttemptNumber() > 0;
    // The pre-commit topology sends every commit to the first subtask.
    if (context.getTaskInfo().getIndexOfThisSubtask() == 0) {
      publishing.start();
    }
  }

  @Override
  public void commit(Collection<CommitRequest<SinkCommittable>> requests)
      throws InterruptedException {
    List<CommitRequest<SinkCommittable>> ordered =
        requests.stream()
            .sorted(Comparator.comparingLong(request -> request.getCommittable().carriedBy()))
            .toList();
    for (int i = 0; i < ordered.size(); i++) {
      if (!publishing.publish(delivered(ordered.get(i)))) {
        // Later checkpoints wait for the refused one: order is part of the promise.
        ordered.subList(i, ordered.size()).forEach(CommitRequest::retryLater);
        return;
      }
    }
  }

  @Override
  public void close() {
    publishing.close();
  }

  private PinotCommit delivered(CommitRequest<SinkCommittable> request) {
    SinkCommittable committable = request.getCommittable();
    PinotCommit commit = committable.commit();
    boolean mayBePublished =
        request.getNumberOfRetries() > 0
            || (restoredCheckpoint.isPresent()
                ? committable.carriedBy() <= restoredCheckpoint.getAsLong()
                : isRestarted);
    return new PinotCommit(
        commit.id(),
        commit.run(),
        commit.checkpointId(),
        new PinotCommit.Delivery(mayBePublished, commit.delivery().inputEnded()),
        commit.segments(),
        commit.accumulated());
  }
}

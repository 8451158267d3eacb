package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.commit.PinotCommit;

/**
 * A commit on its way to the committer.
 *
 * @param commit what is published
 * @param carriedBy the checkpoint that brings it to the committer; the same as the commit's own,
 *     but where there are no checkpoints
 */
public record SinkCommittable(PinotCommit commit, long carriedBy) {
  @Override
  public String toString() {
    return "commit " + commit.id() + " of checkpoint " + carriedBy + " of run " + commit.run().id();
  }
}

package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.segment.StagedFiles;
import java.time.Clock;

/** Publishes commits to one table. Signatures only as yet. */
public final class PinotTableCommitter implements SegmentPublisher {
  /**
   * A publisher.
   *
   * @param files opens and removes staged files
   */
  public PinotTableCommitter(PinotPlan plan, StagedFiles files, Clock clock) {
    this(plan, files, new Patience(clock, dev.tidemark.pinot.controller.Sleeper.real()));
  }

  PinotTableCommitter(PinotPlan plan, StagedFiles files, Patience patience) {}

  @Override
  public void start() {}

  @Override
  public PublishResult publish(PinotCommit commit) throws CommitAbortedException {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void close() {}
}

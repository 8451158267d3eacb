package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.commit.PinotPlan;
import dev.tidemark.pinot.commit.PinotTableCommitter;
import dev.tidemark.pinot.commit.PublishResult;
import dev.tidemark.pinot.commit.SegmentPublisher;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.segment.StagedFiles;
import dev.tidemark.pinot.segment.TarCompression;
import java.time.Clock;
import java.time.Duration;

/** Publishers that talk to Pinot. */
public final class TablePublishers implements PublisherFactory {
  private static final long serialVersionUID = 1L;

  private final PinotPlan plan;
  private final TarCompression compression;
  private final Duration grace;

  /**
   * @param plan what surrounds every commit
   * @param compression of the staged tars
   * @param grace how long staged files outlive their commit
   */
  public TablePublishers(PinotPlan plan, TarCompression compression, Duration grace) {
    this.plan = plan;
    this.compression = compression;
    this.grace = grace;
  }

  @Override
  public SegmentPublisher create() {
    Clock clock = Clock.systemUTC();
    StagedFiles files = new KeptForAWhile(new FlinkStagedFiles(), grace, clock);
    return new Checked(new PinotTableCommitter(plan, files, clock), plan, compression);
  }

  /** Asks the controller first whether it can open the tars. */
  private record Checked(SegmentPublisher publisher, PinotPlan plan, TarCompression compression)
      implements SegmentPublisher {
    @Override
    public void start() {
      TarsOfController.check(compression, ControllerClient.of(plan.controller()).version());
      publisher.start();
    }

    @Override
    public PublishResult publish(PinotCommit commit) throws CommitAbortedException {
      return publisher.publish(commit);
    }

    @Override
    public void close() {
      publisher.close();
    }
  }

  /** On a table with upsert a row that comes again does no harm. */
  @Override
  public void checkNoneLeftBehind(RestoredParts parts) {
    if (plan.table().type() == PinotTable.Type.OFFLINE) {
      parts.checkNoneLeftBehind(plan.table(), ControllerClient.of(plan.controller()));
    }
  }
}

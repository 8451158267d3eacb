package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.PinotPlan;
import dev.tidemark.pinot.commit.PinotTableCommitter;
import dev.tidemark.pinot.commit.SegmentPublisher;
import dev.tidemark.pinot.controller.ControllerClient;
import java.time.Clock;

/** Publishers that talk to Pinot. */
public final class TablePublishers implements PublisherFactory {
  private static final long serialVersionUID = 1L;

  private final PinotPlan plan;

  /**
   * @param plan what surrounds every commit
   */
  public TablePublishers(PinotPlan plan) {
    this.plan = plan;
  }

  @Override
  public SegmentPublisher create() {
    return new PinotTableCommitter(plan, new FlinkStagedFiles(), Clock.systemUTC());
  }

  /** On a table with upsert a row that comes again does no harm. */
  @Override
  public void checkNoneLeftBehind(RestoredParts parts) {
    if (plan.table().type() == PinotTable.Type.OFFLINE) {
      parts.checkNoneLeftBehind(plan.table(), ControllerClient.of(plan.controller()));
    }
  }
}

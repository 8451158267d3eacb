package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.RunSegments;
import dev.tidemark.pinot.controller.SegmentInfo;
import java.util.Map;

/**
 * Tells which segments a restored run has made in vain: those of an earlier epoch whose commit the
 * restored state does not know of. Immutable.
 */
final class Rewound {
  private final RunSegments segments;
  private final CommitRecord.RunRef run;

  Rewound(PinotCommit commit) {
    this.segments = new RunSegments(commit.run().id());
    this.run = CommitRecord.RunRef.withdrawing(commit.run(), commit.checkpointId());
  }

  /** Whether the run has made it, in whatever epoch. */
  boolean isOfTheRun(String name) {
    return segments.isOne(name);
  }

  /** Whether the run has made it, and in vain. */
  boolean isOne(SegmentInfo info) {
    Map<String, String> map = info.customMap();
    Long made = FinalizationProperties.number(map, PinotProperties.RUN_EPOCH);
    Long checkpoint = FinalizationProperties.number(map, PinotProperties.CHECKPOINT);
    return isOfTheRun(info.name())
        && checkpoint != null
        && run.withdraws(made == null ? 0 : made, checkpoint);
  }
}

package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.RunSegments;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.Run;
import java.util.Map;

/**
 * Tells which segments a restored run has made in vain: those of an earlier epoch whose commit the
 * restored state does not know of. Immutable.
 */
final class Rewound {
  private final RunSegments segments;
  private final int epoch;
  private final long firstUnknown;

  Rewound(PinotCommit commit) {
    Run run = commit.run();
    Long restored = run.restoredCheckpoint();
    this.segments = new RunSegments(run.id());
    this.epoch = run.restoreEpoch();
    this.firstUnknown =
        restored == null ? commit.checkpointId() : Math.min(commit.checkpointId(), restored + 1);
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
    boolean earlier = (made == null ? 0 : made) < epoch;
    return isOfTheRun(info.name()) && earlier && checkpoint != null && checkpoint >= firstUnknown;
  }
}

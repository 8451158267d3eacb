package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import java.util.List;
import java.util.Map;

/**
 * What one commit publishes: the segments of every writer and the facts of every row up to one
 * checkpoint. Immutable; delivered again after a failure, with the same id.
 *
 * @param id made once, when the writers' parts were put together
 * @param run the run it belongs to
 * @param checkpointId every row before this checkpoint's barrier is in it or in an earlier commit;
 *     a restore from this checkpoint or a later one has it behind it. {@link Long#MAX_VALUE} at the
 *     end of input where there are no checkpoints
 * @param delivery how it came
 * @param segments may be empty
 * @param accumulated merged snapshots of the accumulators by name
 */
public record PinotCommit(
    CommitId id,
    Run run,
    long checkpointId,
    Delivery delivery,
    List<StagedSegment> segments,
    Map<String, byte[]> accumulated) {
  public PinotCommit {
    segments = List.copyOf(segments);
    accumulated = Map.copyOf(accumulated);
  }

  /**
   * @param redelivered whether it may have been published, in part or whole, by an earlier attempt
   * @param inputEnded whether the input ended, so that the run is finished with it
   */
  public record Delivery(boolean redelivered, boolean inputEnded) {}

  /** Rows in all segments. */
  public long rows() {
    return segments.stream().mapToLong(StagedSegment::rows).sum();
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.SegmentRows;
import dev.tidemark.pinot.segment.StagedSegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a writer's state. Flink deals the entries of all writers out to those of a restored
 * job, whatever their number, so each stands for itself: it names the run, and its partition is in
 * it.
 *
 * @param run the run, in every entry, so that no restored writer is without it
 * @param nextOpening the earliest place in the order of buffers that a later one may take: behind
 *     all of the writer's, those of earlier commits too, so that the order holds even if the next
 *     writer's clock is behind
 * @param content what is kept; null in an entry that names the run alone
 */
public record WriterState(Run run, long nextOpening, @Nullable Content content) {

  /** What an entry keeps. */
  public sealed interface Content {}

  /**
   * Rows of a buffer that is still open.
   *
   * @param partition null on a table without partitions
   * @param openedAt when it was opened, in milliseconds since the run began: the order of the
   *     buffers of a partition
   * @param rows the rows
   * @param facts what the accumulators drained from them
   */
  public record OpenRows(
      @Nullable Integer partition, long openedAt, SegmentRows rows, List<Map<String, byte[]>> facts)
      implements Content {}

  /**
   * A segment that is staged and waits for the next commit.
   *
   * @param segment where it is
   * @param facts what the accumulators drained from its rows
   */
  public record Staged(StagedSegment segment, List<Map<String, byte[]>> facts) implements Content {}
}

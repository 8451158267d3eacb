package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import java.util.List;
import java.util.Map;

/**
 * What one writer hands over when it has closed all its buffers: every row since the time before is
 * in it. Handed over without rows too, since the aggregator waits for one of every writer.
 *
 * @param run the writer's
 * @param ended whether the writer's input has ended, so that nothing follows
 * @param segments staged, may be empty
 * @param facts what the accumulators drained, one map per part, to be merged once with all others
 */
public record WriterResult(
    Run run, boolean ended, List<StagedSegment> segments, List<Map<String, byte[]>> facts) {
  public WriterResult {
    segments = List.copyOf(segments);
    facts = List.copyOf(facts);
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.StagedSegment;
import java.util.List;
import java.util.Map;

/**
 * A segment that was built and staged.
 *
 * @param segment where it is
 * @param facts of its rows
 * @param millis how long building and staging took
 */
record StagedBuild(StagedSegment segment, List<Map<String, byte[]>> facts, long millis) {}

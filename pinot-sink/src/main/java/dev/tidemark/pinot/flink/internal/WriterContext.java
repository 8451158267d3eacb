package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import java.time.Clock;
import org.apache.flink.api.common.TaskInfo;

/**
 * Where a writer runs.
 *
 * @param run the run, with its restore epoch
 * @param task subtask and attempt
 * @param clock for the age and the order of buffers
 * @param metrics what is reported
 */
record WriterContext(Run run, TaskInfo task, Clock clock, WriterMetrics metrics) {}

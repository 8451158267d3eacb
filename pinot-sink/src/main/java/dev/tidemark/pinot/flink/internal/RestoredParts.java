package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentInfo;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run of which every subtask commits a part for itself, restored from a checkpoint. What a
 * subtask published after that checkpoint comes again, and its successor of the same number
 * replaces it; where there is no successor any more, nobody would.
 *
 * @param runId of all parts
 * @param parts how many subtasks there are now
 * @param checkpoint the restored one
 * @param unsureFrom an earlier restore point that some subtask had not replaced anything from when
 *     the parallelism was changed: of what was published between the two, nobody can tell any more
 *     whether it comes again. The restored checkpoint where there is none
 */
public record RestoredParts(String runId, int parts, long checkpoint, long unsureFrom) {

  private static final String SUBTASK = "-s";

  /** The id of a part's own run. */
  static String partId(String runId, int subtask) {
    return runId + SUBTASK + subtask;
  }

  /** The id of the whole run, given a part's. */
  static String jobId(String partId) {
    return partId.replaceFirst(SUBTASK + "\\d{1,9}$", "");
  }

  /**
   * Looks for segments that would stay beside their rows' second coming.
   *
   * @throws IllegalArgumentException if there is one
   */
  void checkNoneLeftBehind(PinotTable table, ControllerClient controller) {
    Pattern name = Pattern.compile("(^|_)" + Pattern.quote(runId + SUBTASK) + "(\\d{1,9})_");
    for (String segment : controller.visibleSegments(table)) {
      Matcher matcher = name.matcher(segment);
      if (matcher.find()) {
        int subtask = Integer.parseInt(matcher.group(2));
        if (subtask >= parts || unsureFrom < checkpoint) {
          controller.segment(table, segment).ifPresent(info -> check(table, info, subtask));
        }
      }
    }
  }

  private void check(PinotTable table, SegmentInfo info, int subtask) {
    Long published = FinalizationProperties.number(info.customMap(), PinotProperties.CHECKPOINT);
    if (published == null) {
      return;
    }
    if (subtask >= parts && published > checkpoint) {
      refuse(table, info, subtask);
    }
    if (published > unsureFrom && published <= checkpoint) {
      refuseUnsure(table, info);
    }
  }

  private void refuseUnsure(PinotTable table, SegmentInfo info) {
    throw new IllegalArgumentException(
        "Cannot restore a sink function of table "
            + table
            + " from checkpoint "
            + checkpoint
            + " with another parallelism: it was wound back to checkpoint "
            + unsureFrom
            + " and had not committed since, so that "
            + info.name()
            + " may be of the life before or not (expected: the parallelism that it had, until a"
            + " commit was made). PinotSink can be rescaled at any time.");
  }

  private void refuse(PinotTable table, SegmentInfo info, int subtask) {
    throw new IllegalArgumentException(
        "Cannot restore a sink function of table "
            + table
            + " from checkpoint "
            + checkpoint
            + " with "
            + parts
            + " subtasks: subtask "
            + subtask
            + " published "
            + info.name()
            + " after it, which nobody would replace, so that its rows would be there twice"
            + " (expected: at least "
            + (subtask + 1)
            + " subtasks, or the latest checkpoint). PinotSink can be rescaled at any time.");
  }
}

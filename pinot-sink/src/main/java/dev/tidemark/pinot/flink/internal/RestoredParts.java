package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentInfo;
import java.util.Optional;
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
 */
public record RestoredParts(String runId, int parts, long checkpoint) {

  private static final String SUBTASK = "-s";

  /** The id of a part's own run. */
  static String partId(String runId, int subtask) {
    return runId + SUBTASK + subtask;
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
      if (matcher.find() && Integer.parseInt(matcher.group(2)) >= parts) {
        controller
            .segment(table, segment)
            .filter(this::comesAgain)
            .ifPresent(info -> refuse(table, info, Integer.parseInt(matcher.group(2))));
      }
    }
  }

  private boolean comesAgain(SegmentInfo info) {
    return Optional.ofNullable(
            FinalizationProperties.number(info.customMap(), PinotProperties.CHECKPOINT))
        .filter(published -> published > checkpoint)
        .isPresent();
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

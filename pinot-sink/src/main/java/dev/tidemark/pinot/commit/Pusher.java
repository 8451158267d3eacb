package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.controller.SegmentPush;
import dev.tidemark.pinot.controller.SegmentUpload;
import dev.tidemark.pinot.segment.StagedSegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Pushes staged segments as the plan says, and leaves out those that are there. */
final class Pusher {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  private final PinotTable table;
  private final ControllerClient controller;
  private final SegmentPush push;
  private final PinotPlan.Upload upload;
  private final Patience patience;
  private final StagedBytes staged;
  private final CommitSteps steps;

  Pusher(
      PinotPlan plan,
      ControllerClient controller,
      Patience patience,
      StagedBytes staged,
      CommitSteps steps) {
    this.table = plan.table();
    this.controller = controller;
    this.push = controller.push(table);
    this.upload = plan.upload();
    this.patience = patience;
    this.staged = staged;
    this.steps = steps;
  }

  /**
   * The segments that are assigned already, each with its own checksum.
   *
   * @throws PublishFailedException if one is there with another checksum
   */
  Present there(List<StagedSegment> segments) {
    Set<String> assigned =
        controller.idealState(table, segments.stream().map(StagedSegment::name).toList()).keySet();
    Map<String, SegmentInfo> there = new LinkedHashMap<>();
    for (StagedSegment segment : segments) {
      if (assigned.contains(segment.name())) {
        controller
            .segment(table, segment.name())
            .ifPresent(
                info -> {
                  check(segment, info);
                  there.put(segment.name(), info);
                });
      }
    }
    return new Present(there);
  }

  /** Pushes those that are not there. */
  void push(List<StagedSegment> segments, SegmentUpload.CustomMap labels) {
    for (int from = 0; from < segments.size(); from += upload.groupSize()) {
      int to = Math.min(segments.size(), from + upload.groupSize());
      pushGroup(segments.subList(from, to), labels);
    }
  }

  /** Pushes a segment alone. */
  void pushOne(StagedSegment segment, SegmentUpload.CustomMap labels) {
    steps.before(CommitStep.PUSH);
    if (upload.mode() == PushMode.TAR) {
      push.tar(staged.upload(segment), labels);
    } else {
      push.metadata(staged.upload(segment), labels);
    }
  }

  /** Writes the labels of the carrier on a segment that is there. */
  void mark(StagedSegment segment, Labels labels) {
    SegmentInfo there =
        controller
            .segment(table, segment.name())
            .orElseThrow(
                () ->
                    new PublishFailedException(
                        "Cannot mark segment "
                            + segment.name()
                            + " of "
                            + table
                            + ": it is gone (expected: as pushed; somebody deleted it)"));
    check(segment, there);
    Map<String, String> map = there.customMap();
    push.mark(staged.upload(segment), there, labels.onCarrier(map, FinalizationProperties.PREFIX));
  }

  private void pushGroup(List<StagedSegment> group, SegmentUpload.CustomMap labels) {
    List<StagedSegment> missing = missing(group);
    if (upload.mode() == PushMode.TAR) {
      missing.forEach(segment -> pushOne(segment, labels));
      return;
    }
    while (!missing.isEmpty()) {
      steps.before(CommitStep.PUSH);
      List<SegmentUpload> uploads = new ArrayList<>();
      missing.forEach(segment -> uploads.add(staged.upload(segment)));
      if (push.batch(uploads, labels)) {
        return;
      }
      if (patience.atMost(upload.timeout()).isZero()) {
        throw new PublishFailedException(
            "Cannot push "
                + missing.size()
                + " segments to "
                + table
                + " within "
                + upload.timeout()
                + " for all of the commit: somebody else is pushing them, such as "
                + missing.get(0).name()
                + " (expected: one job per run)");
      }
      patience.pause(BETWEEN_LOOKS);
      missing = missing(missing);
    }
  }

  private List<StagedSegment> missing(List<StagedSegment> segments) {
    Set<String> there = there(segments).names();
    return segments.stream().filter(segment -> !there.contains(segment.name())).toList();
  }

  private void check(StagedSegment segment, SegmentInfo info) {
    Long crc = info.crc();
    if (crc == null || crc != segment.crc()) {
      throw new PublishFailedException(
          "Cannot publish segment "
              + segment.name()
              + " to "
              + table
              + ": one of this name is there with checksum "
              + crc
              + " (expected: "
              + segment.crc()
              + "). Somebody else writes under the same names, or the segment was"
              + " built anew; a new run needs an id of its own.");
    }
  }
}

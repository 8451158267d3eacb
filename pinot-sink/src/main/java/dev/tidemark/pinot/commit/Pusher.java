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
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
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
   * Names of segments that are assigned already, each with its own checksum.
   *
   * @throws PublishFailedException if one is there with another checksum
   */
  Set<String> there(List<StagedSegment> segments) {
    Set<String> assigned =
        controller.idealState(table, segments.stream().map(StagedSegment::name).toList()).keySet();
    Set<String> there = new LinkedHashSet<>();
    for (StagedSegment segment : segments) {
      if (assigned.contains(segment.name())) {
        controller.segment(table, segment.name()).ifPresent(info -> check(segment, info));
        there.add(segment.name());
      }
    }
    return there;
  }

  /** Pushes those that are not there, and returns how many that were. */
  int push(List<StagedSegment> segments, SegmentUpload.CustomMap labels) {
    int pushed = 0;
    for (int from = 0; from < segments.size(); from += upload.groupSize()) {
      int to = Math.min(segments.size(), from + upload.groupSize());
      pushed += pushGroup(segments.subList(from, to), labels);
    }
    return pushed;
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

  private int pushGroup(List<StagedSegment> group, SegmentUpload.CustomMap labels) {
    List<StagedSegment> missing = missing(group);
    int pushed = missing.size();
    if (upload.mode() == PushMode.TAR) {
      missing.forEach(segment -> pushOne(segment, labels));
      return pushed;
    }
    Instant end = patience.clock().instant().plus(upload.timeout());
    while (!missing.isEmpty()) {
      steps.before(CommitStep.PUSH);
      List<SegmentUpload> uploads = new ArrayList<>();
      missing.forEach(segment -> uploads.add(staged.upload(segment)));
      if (push.batch(uploads, labels)) {
        return pushed;
      }
      if (patience.clock().instant().isAfter(end)) {
        throw new PublishFailedException(
            "Cannot push "
                + missing.size()
                + " segments to "
                + table
                + " within "
                + upload.timeout()
                + ": somebody else is pushing them, such as "
                + missing.get(0).name()
                + " (expected: one job per run)");
      }
      patience.pause(BETWEEN_LOOKS);
      missing = missing(missing);
    }
    return pushed;
  }

  private List<StagedSegment> missing(List<StagedSegment> segments) {
    Set<String> there = there(segments);
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

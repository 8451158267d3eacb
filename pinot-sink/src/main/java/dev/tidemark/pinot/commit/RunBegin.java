package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.PinotTruth;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentInfo;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The least time of the rows that a run has in a table. Each commit repeats it, so that it is read
 * from the segments only where the run's newest commit is not seen. Used by one thread.
 */
final class RunBegin {
  private final PinotTable table;
  private final ControllerClient controller;

  RunBegin(PinotTable table, ControllerClient controller) {
    this.table = table;
    this.controller = controller;
  }

  /**
   * After one more commit.
   *
   * @param begin the least time of the commit; null without a time column
   * @param others names of the run's segments that are there besides
   * @return null without a time column
   */
  @Nullable Long with(
      @Nullable Long begin, Collection<String> others, PinotCommit commit, PinotTruth truth) {
    if (begin == null || others.isEmpty()) {
      return begin;
    }
    Long before = newest(commit, truth);
    return Math.min(begin, before == null ? least(others, begin) : before);
  }

  private static @Nullable Long newest(PinotCommit commit, PinotTruth truth) {
    return truth.commits().stream()
        .map(RecentCommit::properties)
        .flatMap(properties -> CommitRecord.read(properties).stream())
        .filter(record -> record.run().id().equals(commit.run().id()))
        .findFirst()
        .map(record -> record.size().runBeginMillis())
        .orElse(null);
  }

  private long least(Collection<String> names, long begin) {
    Set<String> wanted = new HashSet<>(names);
    Map<String, SegmentInfo> all = controller.allSegments(table);
    Stream<Long> starts =
        all.values().stream()
            .filter(info -> wanted.contains(info.name()))
            .map(SegmentInfo::startMillis)
            .filter(Objects::nonNull);
    return starts.min(Long::compare).orElse(begin);
  }
}

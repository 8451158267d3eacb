package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.Run;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The runs that a subtask of a sink function finds in its share of the state: of the subtask with
 * its number alone, or, after a change of parallelism, of any. Each still names the checkpoint that
 * it was restored from if no commit was made since.
 *
 * @param runs one of each entry; empty at first
 */
record KeptParts(List<Run> runs) {

  /**
   * The run of the whole job as this subtask is to resume it; null at first.
   *
   * @param subtask whose own restore point holds; that of another says nothing of its commits
   */
  @Nullable Run jobRun(int subtask) {
    Run newest = runs.stream().max(Comparator.comparingInt(Run::restoreEpoch)).orElse(null);
    if (newest == null) {
      return null;
    }
    String job = RestoredParts.jobId(newest.id());
    Long restored =
        runs.stream()
            .filter(run -> run.id().equals(RestoredParts.partId(job, subtask)))
            .findFirst()
            .map(Run::restoredCheckpoint)
            .orElse(null);
    return new Run(job, newest.startMillis(), newest.restoreEpoch(), restored);
  }

  /** The earliest restore point that another subtask had not replaced anything from. */
  OptionalLong earliestOfOthers(int subtask) {
    return runs.stream()
        .filter(
            run -> !run.id().equals(RestoredParts.partId(RestoredParts.jobId(run.id()), subtask)))
        .map(Run::restoredCheckpoint)
        .filter(Objects::nonNull)
        .mapToLong(Long::longValue)
        .min();
  }
}

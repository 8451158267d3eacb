package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.CommitSearch;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.segment.Run;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What the table knows of the commits of a run: from the carriers that are seen, and the mirror.
 */
final class RunLedger {
  private final PinotTable table;
  private final ControllerClient controller;
  private final CommitSearch search;

  RunLedger(PinotTable table, ControllerClient controller, CommitSearch search) {
    this.table = table;
    this.controller = controller;
    this.search = search;
  }

  /**
   * Whether a commit that is not in the table was in it once: it is recorded itself, or a later
   * commit of the same run is, and commits are made in order. A first delivery never was.
   */
  boolean wasCommitted(PinotCommit commit) {
    if (!commit.delivery().redelivered()) {
      return false;
    }
    return known().anyMatch(record -> isAtOrAfter(record, commit));
  }

  /**
   * Whether the run was wound back to before a commit since, and what it has published then stands
   * in its place. A first delivery never was.
   */
  boolean wasWithdrawn(PinotCommit commit) {
    Run run = commit.run();
    return commit.delivery().redelivered()
        && known()
            .map(CommitRecord::run)
            .filter(later -> later.id().equals(run.id()))
            .anyMatch(later -> later.withdraws(run.restoreEpoch(), commit.checkpointId()));
  }

  /** Whether the run has replaced segments of others, as far as the table config knows. */
  boolean hasReplaced(Run run) {
    return mirror().hasReplaced(run.id());
  }

  private Stream<CommitRecord> known() {
    Stream<CommitRecord> carried =
        search.newestFirst(controller.visibleSegments(table)).stream()
            .flatMap(recent -> CommitRecord.read(recent.properties()).stream());
    Stream<CommitRecord> mirrored =
        mirror().entries().values().stream().flatMap(e -> CommitRecord.read(e).stream());
    return Stream.concat(carried, mirrored);
  }

  /** Whether the run has ended before, and this is no restore of it that goes on. */
  boolean isFinished(PinotCommit commit) {
    return mirror().isFinished(CommitRecord.RunRef.of(commit.run()));
  }

  private PinotMirror mirror() {
    return controller
        .tableConfig(table)
        .map(PinotMirror::of)
        .orElseThrow(
            () ->
                new PublishFailedException(
                    "Cannot publish to " + table + ": it is gone (expected: a table)"));
  }

  private static boolean isAtOrAfter(CommitRecord record, PinotCommit commit) {
    if (Objects.equals(record.commitId(), commit.id().toString())) {
      return true;
    }
    return record.run().id().equals(commit.run().id())
        && record.run().restoreEpoch() >= commit.run().restoreEpoch()
        && record.checkpointId() >= commit.checkpointId();
  }
}

package dev.tidemark.cli.serve;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One commit as a timeline shows it.
 *
 * @param commit as the store keeps it
 * @param times the event times of its stream records; empty for a commit without facts
 * @param late the late rows that it brought, of its own stream and of foreign commits before it
 * @param opinion the opinion after it; null for a foreign commit
 */
record CommitPoint(
    RecentCommit commit, EventTimeSketch times, long late, @Nullable Opinion opinion) {

  /**
   * Reads a commit.
   *
   * @throws IllegalArgumentException if it is of a newer format
   */
  static CommitPoint of(RecentCommit commit) {
    Map<String, String> properties = commit.properties();
    String foreign = properties.get(FinalizationProperties.LATE_FOREIGN);
    long late =
        FinalizationProperties.readLate(properties).total()
            + (foreign == null ? 0 : LateRows.fromText(foreign).total());
    return new CommitPoint(
        commit,
        EventTimeProperties.read(properties)
            .map(EventTimeFacts::times)
            .orElse(EventTimeSketch.empty()),
        late,
        FinalizationProperties.readOpinion(properties).orElse(null));
  }

  /** The watermark after it; null for a foreign commit, or before the first. */
  @Nullable Long watermarkMillis() {
    return opinion == null ? null : opinion.watermarkMillis();
  }

  /** Why the watermark stayed; null if the commit moved it, or is foreign. */
  @Nullable Hold hold() {
    return opinion == null ? null : opinion.hold();
  }
}

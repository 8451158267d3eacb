package dev.tidemark.cli.history;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import org.jspecify.annotations.Nullable;

/**
 * One commit as a reader of history sees it. Immutable.
 *
 * @param commit as its store describes it
 * @param writer who made it; null for an administrator's, and for those of others
 * @param facts what it holds; null if it says nothing of it
 * @param opinion the table's opinion after it; null for a commit of somebody else
 * @param late late rows that it brought
 * @param lateForeign late rows of commits of others that it noticed
 */
public record CommitFacts(
    RecentCommit commit,
    @Nullable String writer,
    @Nullable EventTimeFacts facts,
    @Nullable Opinion opinion,
    LateRows late,
    LateRows lateForeign) {

  /**
   * Reads a commit.
   *
   * @throws IllegalArgumentException if it has a newer format
   */
  public static CommitFacts of(RecentCommit commit) {
    String foreign = commit.properties().get(FinalizationProperties.LATE_FOREIGN);
    return new CommitFacts(
        commit,
        commit.properties().get(FinalizationProperties.WRITER),
        EventTimeProperties.read(commit.properties()).orElse(null),
        FinalizationProperties.readOpinion(commit.properties()).orElse(null),
        FinalizationProperties.readLate(commit.properties()),
        foreign == null ? LateRows.NONE : LateRows.fromText(foreign));
  }

  /** The store's id of it. */
  public String id() {
    return commit.id();
  }

  /** The commit time, epoch milliseconds. */
  public long timeMillis() {
    return commit.timestampMillis();
  }

  /** Whether it says nothing of finalization: a compaction, or an append of somebody else. */
  public boolean isForeign() {
    return opinion == null;
  }

  /** The event times of its stream records; empty if it says nothing of them. */
  public EventTimeSketch times() {
    return facts == null ? EventTimeSketch.empty() : facts.times();
  }

  /** Late rows that it brought, and of others that it noticed. */
  public long lateRows() {
    return late.total() + lateForeign.total();
  }

  /** Whether it holds records that can move a watermark. */
  public boolean hasStreamRecords() {
    return facts != null && facts.hasStreamRecords();
  }

  /** Rows with and without a valid event time, of all roles; null if it says nothing of them. */
  public @Nullable Long rows() {
    if (facts == null) {
      return null;
    }
    SetAside aside = facts.setAside();
    return facts.times().count()
        + aside.nullCount()
        + aside.invalidCount()
        + aside.snapshotCount()
        + aside.backfillCount();
  }

  /** The watermark after it, exclusive; null if there is none, or it says nothing of it. */
  public @Nullable Long watermarkMillis() {
    return opinion == null ? null : opinion.watermarkMillis();
  }

  /** Why it did not move the watermark; null if it did, or says nothing of it. */
  public @Nullable Hold hold() {
    return opinion == null ? null : opinion.hold();
  }

  /** Where the source stood; null if it does not say. */
  public @Nullable Coverage coverage() {
    return FinalizationProperties.readCoverage(commit.properties()).orElse(null);
  }
}

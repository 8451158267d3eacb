package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.watermark.Decision;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationEngine;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.Situation;
import dev.tidemark.pinot.PinotTruth;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Forms the opinion that a commit carries: by the engine, or carried over from another table. */
final class OpinionDecision {
  private final PinotPlan plan;
  private final @Nullable FinalizationEngine engine;

  OpinionDecision(PinotPlan plan) {
    this.plan = plan;
    FinalizationConfig config = plan.finalization();
    this.engine = config == null ? null : new FinalizationEngine(config);
  }

  /** What is decided; null without finalization, or where nothing was ever carried over. */
  @Nullable Outcome decide(PinotTruth truth, PinotCommit commit, long nowMillis) {
    if (engine == null) {
      return null;
    }
    OpinionSource source = plan.opinionSource();
    return source == null
        ? engine.decide(situation(truth, commit, nowMillis))
        : carriedOver(truth.opinion(), source.opinionAfter(commit).orElse(null));
  }

  private Situation situation(PinotTruth truth, PinotCommit commit, long nowMillis) {
    byte[] facts = commit.accumulated().get(EventTimeAccumulatorFactory.NAME);
    return new Situation(
        truth.opinion(),
        facts == null ? EventTimeFacts.EMPTY : new EventTimeFacts.Codec().decode(facts),
        null,
        new Situation.CommitClock(
            nowMillis, truth.newest().map(RecentCommit::timestampMillis).orElse(null)),
        new Situation.Signals(
            truth.isRolledBackFor(commit.run().id()),
            commit.delivery().inputEnded() && plan.inputIsComplete(),
            ForeignRows.NONE,
            false));
  }

  /**
   * An opinion that says less than the table's own does not take anything back. One that says as
   * much may know of more late rows.
   */
  private static @Nullable Outcome carriedOver(@Nullable Opinion own, @Nullable Opinion other) {
    boolean ahead = other != null && (own == null || isAhead(other, own));
    boolean fresher = other != null && own != null && !isAhead(own, other);
    Opinion carried = ahead || fresher ? Objects.requireNonNull(other) : own;
    if (carried == null) {
      return null;
    }
    Long watermark = carried.watermarkMillis();
    Decision decision =
        ahead && watermark != null
            ? new Decision.Advance(watermark)
            : new Decision.Stay(Hold.of(Hold.Reason.NO_DATA));
    boolean reopens = own == null || !carried.reopened().equals(own.reopened());
    return new Outcome(carried, decision, List.of(), null, ahead || reopens);
  }

  private static boolean isAhead(Opinion other, Opinion own) {
    if (other.epoch() != own.epoch()) {
      return other.epoch() > own.epoch();
    }
    Long published = own.watermarkMillis();
    Long claimed = other.watermarkMillis();
    return claimed != null && (published == null || claimed > published);
  }
}

package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.Granularity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How far one writer's own watermark moves: its window, its candidate, and what stops it. */
final class WriterAdvance {
  private final FinalizationConfig config;
  private final FinalizationPolicy policy;
  private final Granularity granularity;
  private final SourceRules sourceRules;

  WriterAdvance(FinalizationConfig config) {
    this.config = config;
    this.policy = config.policy();
    this.granularity = config.granularity();
    this.sourceRules = new SourceRules(config);
  }

  /**
   * One step of a writer.
   *
   * @param state the writer after it
   * @param hold why it did not move; null if it did
   */
  record Step(WriterState state, @Nullable Hold hold) {}

  private record Candidate(long millis, Evidence evidence) {}

  /** The writer with this commit's statistic in its window; unchanged without stream records. */
  WriterState count(WriterState state, Situation situation) {
    EventTimeFacts facts = situation.facts();
    if (!facts.hasStreamRecords()) {
      return state;
    }
    CommitWindow window =
        state.statistic().equals(policy.toString()) ? state.window() : CommitWindow.EMPTY;
    long time = Math.max(situation.clock().nowMillis(), window.newestMillis());
    return state.withCommit(
        window.add(
            time, policy.statistic(facts.times()), config.lookbackCommits(), config.lookbackSpan()),
        facts.times().maxMillis(),
        policy.toString());
  }

  Step step(WriterState state, @Nullable Coverage coverage, Situation situation) {
    Candidate ended = situation.signals().inputEnded() ? endOfInput(state) : null;
    if (ended != null) {
      return advance(state, ended, situation);
    }
    if (policy instanceof FinalizationPolicy.SourcePromise) {
      return promised(state, coverage, situation);
    }
    Long idle = coverage == null ? null : sourceRules.idleSince(coverage, state.window());
    if (idle != null && isAhead(state, idle)) {
      return advance(state, new Candidate(idle, Evidence.ESTIMATE), situation);
    }
    Hold hold = windowHold(state, coverage, situation);
    return hold == null
        ? advance(state, new Candidate(state.window().minimum(), policy.evidence()), situation)
        : new Step(state, hold);
  }

  /** A source that is behind is named first: somebody can do something about it. */
  private @Nullable Hold windowHold(
      WriterState state, @Nullable Coverage coverage, Situation situation) {
    if (state.window().total() == 0) {
      return Hold.of(Hold.Reason.NO_DATA);
    }
    Hold source =
        coverage == null ? missingCoverage() : sourceRules.hold(coverage, state, situation);
    if (source != null) {
      return source;
    }
    return state.window().isWarm(config.lookbackCommits(), config.lookbackSpan())
        ? null
        : Hold.of(Hold.Reason.WARM_UP);
  }

  private @Nullable Hold missingCoverage() {
    return config.coverageExpected() ? Hold.of(Hold.Reason.SOURCE_BEHIND) : null;
  }

  private Step promised(WriterState state, @Nullable Coverage coverage, Situation situation) {
    if (coverage == null || coverage.expected() == 0) {
      return new Step(state, Hold.of(Hold.Reason.SOURCE_BEHIND));
    }
    Hold hold = sourceRules.missingPromise(coverage);
    if (hold != null) {
      return new Step(state, hold);
    }
    return advance(
        state, new Candidate(SourceRules.leastPromise(coverage), Evidence.PROMISE), situation);
  }

  /** The end of the granule of the highest valid event: nothing later was in the input. */
  private @Nullable Candidate endOfInput(WriterState state) {
    Long highest = state.highestMillis();
    return highest == null ? null : new Candidate(granularity.next(highest), Evidence.PROMISE);
  }

  private boolean isAhead(WriterState state, long candidate) {
    Long own = state.watermarkMillis();
    return own == null || granularity.floor(candidate) > own;
  }

  private Step advance(WriterState state, Candidate candidate, Situation situation) {
    long bounded = Math.min(candidate.millis(), situation.clock().nowMillis());
    long floor = granularity.floor(bounded);
    Long own = state.watermarkMillis();
    if (own == null || floor > own) {
      return new Step(state.withWatermark(floor, candidate.evidence()), null);
    }
    return new Step(state, Hold.of(standstill(own, candidate.millis(), situation)));
  }

  private static Hold.Reason standstill(long own, long candidate, Situation situation) {
    if (candidate < own) {
      return Hold.Reason.LATE_DATA;
    }
    return situation.facts().hasStreamRecords() || !Objects.equals(candidate, own)
        ? Hold.Reason.INSIDE_GRANULE
        : Hold.Reason.NO_DATA;
  }
}

package dev.tidemark.cli.replay;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationEngine;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.Situation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table as sinks would have written it, the engine run live: on facts that still know the rows of
 * each granule, so that late rows are exact. Its summaries alone are the history.
 *
 * @param steps what each commit did
 * @param commits what a store keeps of it, newest first
 */
record LiveTable(List<LiveStep> steps, List<RecentCommit> commits) {
  private static final String WRITER = "live";

  /**
   * What one commit did.
   *
   * @param timeMillis commit time
   * @param facts with rows per granule
   * @param base the watermark before; null for none
   * @param after the watermark after; null for none
   * @param late the rows below the one before, exact
   */
  record LiveStep(
      long timeMillis,
      EventTimeFacts facts,
      @Nullable Long base,
      @Nullable Long after,
      GranuleCounts late) {}

  /** A commit before it is decided. */
  record Raw(long timeMillis, EventTimeFacts facts, String writer) {
    Raw(long timeMillis, EventTimeFacts facts) {
      this(timeMillis, facts, WRITER);
    }
  }

  /** A policy over a window, in hours; what is written is read from the beginning. */
  static PolicyText config(FinalizationPolicy policy, int commits, Duration span) {
    return new PolicyText(policy, commits, span, Granularity.HOUR);
  }

  private static FinalizationEngine engine(String writer, PolicyText text) {
    return new FinalizationEngine(
        FinalizationConfig.forWriter(writer)
            .policy(text.policy())
            .lookback(text.lookbackCommits(), text.lookbackSpan())
            .granularity(text.granularity())
            .readFromBeginning()
            .build());
  }

  static LiveTable run(List<Raw> raws, PolicyText text) {
    Map<String, FinalizationEngine> engines = new HashMap<>();
    List<LiveStep> steps = new ArrayList<>();
    List<RecentCommit> commits = new ArrayList<>();
    Opinion truth = null;
    Long parent = null;
    for (Raw raw : raws) {
      Outcome outcome =
          engines
              .computeIfAbsent(raw.writer(), writer -> engine(writer, text))
              .decide(
                  new Situation(
                      truth,
                      raw.facts(),
                      null,
                      new Situation.CommitClock(raw.timeMillis(), parent),
                      Situation.Signals.NONE));
      Map<String, String> properties =
          new LinkedHashMap<>(
              FinalizationProperties.identity(raw.writer(), "commit-" + steps.size()));
      properties.putAll(EventTimeProperties.write(raw.facts()));
      properties.putAll(FinalizationProperties.write(outcome));
      commits.add(new RecentCommit("s" + steps.size(), raw.timeMillis(), properties));
      steps.add(
          new LiveStep(
              raw.timeMillis(),
              raw.facts(),
              truth == null ? null : truth.watermarkMillis(),
              outcome.opinion().watermarkMillis(),
              GranuleCounts.merge(outcome.late().stream().map(LateDataReport::rows).toList())));
      truth = FinalizationProperties.readOpinion(properties).orElseThrow();
      parent = raw.timeMillis();
    }
    Collections.reverse(commits);
    return new LiveTable(steps, commits);
  }

  StoredHistory history() {
    return StoredHistory.read(commits.stream());
  }

  long late() {
    return steps.stream().mapToLong(step -> step.late().total()).sum();
  }

  /** Mean lag behind commit time from a commit on, minutes. */
  double meanLagMinutes(int first) {
    return steps.subList(first, steps.size()).stream()
        .mapToDouble(step -> (step.timeMillis() - nonNull(step.after())) / 60_000.0)
        .average()
        .orElseThrow();
  }

  private static long nonNull(@Nullable Long millis) {
    if (millis == null) {
      throw new IllegalStateException("no watermark yet");
    }
    return millis;
  }
}

package dev.tidemark.cli.replay;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationEngine;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.Situation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@link FinalizationEngine} over a history, commit by commit, each on the opinion that
 * the one before it left, read back from the text that a store keeps. What writers and
 * administrators did besides (registered, retired, completed a bootstrap, reset) is done again;
 * holds that the facts alone do not explain (a rollback, a foreign commit, a wrong clock) are taken
 * from what was published.
 *
 * <p>Where history begins: with its very first commit if that is kept. Else with the oldest kept
 * opinion if the trial is what that opinion was made with, since then its windows are the trial's
 * own; else cold, with the writers registered and nothing in their windows. Used once.
 */
final class EngineReplay {
  private final StoredHistory history;
  private final Trial trial;
  private final Set<String> waiting = new HashSet<>();
  private final Map<String, Coverage> coverage = new HashMap<>();
  private final Map<FinalizationConfigKey, FinalizationEngine> engines = new HashMap<>();
  private final List<Step> steps = new ArrayList<>();
  private @Nullable Opinion truth;

  private record FinalizationConfigKey(
      String writer, String policy, boolean coverage, boolean bootstrap, @Nullable Long from) {}

  private EngineReplay(StoredHistory history, Trial trial) {
    this.history = history;
    this.trial = trial;
  }

  /** The steps, one for each commit of the history. */
  static List<Step> run(StoredHistory history, Trial trial) {
    return new EngineReplay(history, trial).run();
  }

  private List<Step> run() {
    findWhoWaits();
    int first = begin();
    for (HistoryCommit commit : history.commits().subList(first, history.commits().size())) {
      change(commit);
      Opinion current = truth;
      Long base = current == null ? null : current.watermarkMillis();
      if (commit.isOfWriter()) {
        decide(commit);
      }
      add(commit, base);
    }
    return List.copyOf(steps);
  }

  private void add(HistoryCommit commit, @Nullable Long base) {
    Opinion left = truth;
    steps.add(
        new Step(
            commit,
            base,
            left == null ? null : left.watermarkMillis(),
            left == null ? null : left.hold()));
  }

  /** A writer that once waited for an idle partition is one that does. */
  private void findWhoWaits() {
    for (HistoryCommit commit : history.commits()) {
      boolean promise =
          commit.after().policy().policy() instanceof FinalizationPolicy.SourcePromise;
      if (commit.isOfWriter() && !promise && commit.isHeldBy(Hold.Reason.IDLE_SOURCE)) {
        waiting.add(commit.toldNow().writer());
      }
    }
  }

  private int begin() {
    if (history.gaps().isWhole() || history.isEmpty()) {
      return 0;
    }
    HistoryCommit oldest = history.commits().get(0);
    if (trial.textFor(oldest.after()).equals(oldest.after().policy())) {
      truth = oldest.after();
      if (oldest.isOfWriter() && oldest.toldNow().coverage() != null) {
        coverage.put(oldest.toldNow().writer(), whole(oldest.toldNow().coverage()));
      }
      add(oldest, oldest.publishedBase());
      return 1;
    }
    Opinion cold = Opinion.initial(trial.textFor(oldest.after()));
    for (String writer : oldest.after().writers().keySet()) {
      cold = cold.join(trial.registered(writer, oldest));
    }
    truth = kept(cold);
    return 0;
  }

  /** Does again what others than the writer of this commit did to the opinion before it. */
  private void change(HistoryCommit commit) {
    Opinion before = commit.before();
    Opinion after = commit.after();
    Set<String> known = before == null ? Set.of() : before.writers().keySet();
    Opinion current =
        truth == null && !commit.isOfWriter() ? Opinion.initial(trial.textFor(after)) : truth;
    if (current == null) {
      return;
    }
    Opinion changed = current;
    if (before != null) {
      changed = administered(changed, before, after);
    }
    for (String writer : after.writers().keySet()) {
      boolean own = commit.isOfWriter() && commit.toldNow().writer().equals(writer);
      if (!known.contains(writer) && !own) {
        changed = changed.join(trial.registered(writer, commit));
      }
    }
    if (changed != current || truth == null) {
      boolean rolledBack = !commit.isOfWriter() && commit.isHeldBy(Hold.Reason.ROLLED_BACK);
      truth = kept(rolledBack ? changed.whileRolledBack(current) : changed);
    }
  }

  private static Opinion administered(Opinion opinion, Opinion before, Opinion after) {
    Opinion changed = opinion;
    for (String writer : before.writers().keySet()) {
      if (!after.writers().containsKey(writer) && changed.writers().containsKey(writer)) {
        changed = changed.retire(writer);
      }
    }
    Long from = after.watermark().fromMillis();
    if (changed.bootstrapPending() && !after.bootstrapPending() && from != null) {
      changed = changed.completeBootstrap(Instant.ofEpochMilli(from));
    }
    for (int epoch = before.epoch(); epoch < after.epoch(); epoch++) {
      changed = changed.reset();
    }
    return changed;
  }

  private void decide(HistoryCommit commit) {
    HistoryCommit.Told told = commit.toldNow();
    Coverage recorded = told.coverage();
    Situation.Source source =
        recorded == null
            ? null
            : new Situation.Source(asReported(recorded), coverage.get(told.writer()));
    Outcome outcome =
        engine(commit)
            .decide(
                new Situation(
                    truth,
                    told.facts(),
                    source,
                    new Situation.CommitClock(
                        commit.decidedAtMillis(), commit.made().parentMillis()),
                    new Situation.Signals(
                        commit.isHeldBy(Hold.Reason.ROLLED_BACK),
                        commit.inputEnded(),
                        ForeignRows.NONE,
                        commit.isHeldBy(Hold.Reason.FOREIGN_COMMIT))));
    truth = kept(outcome.opinion());
    Coverage stamped = outcome.coverage();
    if (stamped != null) {
      coverage.put(told.writer(), stamped);
    }
  }

  private FinalizationEngine engine(HistoryCommit commit) {
    HistoryCommit.Told told = commit.toldNow();
    FinalizationConfig.IdleRule rule =
        waiting.contains(told.writer())
            ? FinalizationConfig.IdleRule.HOLD
            : FinalizationConfig.IdleRule.PASS;
    FinalizationConfig config = trial.config(commit, rule);
    FinalizationConfigKey key =
        new FinalizationConfigKey(
            told.writer(),
            config.policyText().toString(),
            config.coverageExpected(),
            config.bootstrapPending(),
            commit.after().watermark().fromMillis());
    return engines.computeIfAbsent(key, k -> new FinalizationEngine(config));
  }

  /** An opinion as the next commit reads it: windows of several writers are kept shorter. */
  private static Opinion kept(Opinion opinion) {
    return FinalizationProperties.readOpinion(FinalizationProperties.write(opinion)).orElseThrow();
  }

  /**
   * Coverage as the source reported it, without what the engine stamped: the stamps count commits
   * of the published window, and the engine stamps again. A list of laggards counts as whole: what
   * it leaves out stood at its end.
   */
  private static Coverage asReported(Coverage recorded) {
    SortedMap<String, PartitionProgress> partitions = new TreeMap<>();
    recorded.partitions().forEach((name, p) -> partitions.put(name, p.delivered(null, null)));
    return Coverage.of(partitions);
  }

  private static Coverage whole(@Nullable Coverage recorded) {
    return Coverage.of(Objects.requireNonNull(recorded).partitions());
  }
}

package dev.tidemark.cli.replay;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A policy run over a table's own history, beside what was published. Both are measured over the
 * same commits: those of writers, from the first at which both had a watermark on.
 *
 * @param history what was replayed
 * @param policy what was tried
 * @param published what the table itself published
 * @param replayed what the policy would have published
 * @param fresherMillis how far ahead of the published watermark it would have been, on average;
 *     negative if behind
 * @param check whether the table's own policy, replayed, gives what was published
 */
public record Replay(
    StoredHistory history,
    PolicyText policy,
    Side published,
    Side replayed,
    double fresherMillis,
    Check check) {

  /**
   * One of the two.
   *
   * @param steps one for each commit of the history
   * @param figures over the commits that are measured
   * @param newestMillis the watermark at the end; null for none
   */
  public record Side(List<Step> steps, Figures figures, @Nullable Long newestMillis) {
    public Side {
      steps = List.copyOf(steps);
    }
  }

  /**
   * The table's own policy, replayed.
   *
   * @param commits how many commits were compared
   * @param different at how many the watermark is another than the published one
   */
  public record Check(int commits, int different) {}

  /**
   * Runs it.
   *
   * @param fromMillis commits before this time warm up and are not measured
   * @throws IllegalArgumentException if the history cannot tell what the policy needs
   */
  public static Replay run(StoredHistory history, Trial trial, long fromMillis) {
    PolicyText text = trial.textFor(history.newest());
    requireCoverage(history, text.policy());
    List<Step> published = Step.published(history);
    List<Step> replayed = EngineReplay.run(history, trial);
    List<Step> publishedMeasured = new ArrayList<>();
    List<Step> replayedMeasured = new ArrayList<>();
    double ahead = 0;
    for (int i = 0; i < published.size(); i++) {
      Step theirs = published.get(i);
      Step ours = replayed.get(i);
      boolean late = theirs.commit().made().timeMillis() < fromMillis;
      if (!late && isMeasured().test(theirs) && isMeasured().test(ours)) {
        publishedMeasured.add(theirs);
        replayedMeasured.add(ours);
        ahead += Objects.requireNonNull(ours.after()) - Objects.requireNonNull(theirs.after());
      }
    }
    Granularity own = history.newest().policy().granularity();
    return new Replay(
        history,
        text,
        side(published, publishedMeasured, own),
        side(replayed, replayedMeasured, text.granularity()),
        publishedMeasured.isEmpty() ? Double.NaN : ahead / publishedMeasured.size(),
        check(history, published, trial.idleTimeout()));
  }

  /** Whether there was a commit at which both had a watermark. */
  public boolean isMeasurable() {
    return published.figures().commits() > 0;
  }

  static Predicate<Step> isMeasured() {
    return step -> step.commit().isOfWriter() && step.base() != null && step.after() != null;
  }

  static void requireCoverage(StoredHistory history, FinalizationPolicy policy) {
    if (policy instanceof FinalizationPolicy.SourcePromise && !history.hasCoverage()) {
      throw new IllegalArgumentException(
          "Cannot replay source-promise: none of "
              + history.writerCommits()
              + " commits recorded the coverage of its source (expected: a sink with coverage"
              + " switched on). Replay min, a quantile or bounded-lateness.");
    }
  }

  static Check check(StoredHistory history, List<Step> published, @Nullable Duration idleTimeout) {
    List<Step> own = EngineReplay.run(history, new Trial(null, idleTimeout));
    int different = 0;
    for (int i = 0; i < own.size(); i++) {
      different += Objects.equals(own.get(i).after(), published.get(i).after()) ? 0 : 1;
    }
    return new Check(own.size(), different);
  }

  private static Side side(List<Step> steps, List<Step> measured, Granularity granularity) {
    Long newest = steps.isEmpty() ? null : steps.get(steps.size() - 1).after();
    return new Side(steps, Figures.of(measured, granularity), newest);
  }
}

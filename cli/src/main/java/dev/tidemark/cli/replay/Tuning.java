package dev.tidemark.cli.replay;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.PolicyText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The search for a policy within a budget, over a table's own history. All candidates are measured
 * over the same commits: from the first at which each that takes part has a watermark on. The
 * earlier half of them chooses, the later half is held out to check the choice.
 *
 * @param history what was searched
 * @param budget what was asked for
 * @param candidates those that took part, the freshest first
 * @param windowTooLong how many were left out because their window fills too late
 * @param own the table's own policy among them; null if it did not take part
 * @param spans what the halves are
 * @param verdict the outcome
 * @param check whether the table's own policy, replayed, gives what was published
 */
public record Tuning(
    StoredHistory history,
    Budget budget,
    List<Candidate> candidates,
    int windowTooLong,
    @Nullable Candidate own,
    @Nullable Spans spans,
    Verdict verdict,
    Replay.Check check) {
  /** Commits that each half must have: less cannot be put into blocks. */
  static final int LEAST_COMMITS = 2 * LateBound.BLOCKS;

  /** Whoever has no watermark after this share of the history takes no part. */
  private static final int LATEST_START = 4;

  /**
   * The two halves, by commit time.
   *
   * @param firstMillis of the earlier half
   * @param splitMillis first commit of the later half
   * @param lastMillis of the later half
   */
  public record Spans(long firstMillis, long splitMillis, long lastMillis) {}

  public Tuning {
    candidates = List.copyOf(candidates);
  }

  private record Run(PolicyText policy, List<Step> steps, int start) {}

  /**
   * Searches.
   *
   * @param granularity of the granules that become final
   * @param fromMillis commits before this time warm up and are not measured
   */
  public static Tuning search(
      StoredHistory history, Budget budget, Granularity granularity, long fromMillis) {
    Replay.Check check = Replay.check(history, Step.published(history), null);
    PolicyText own = history.newest().policy();
    List<Run> runs = runs(history, Candidates.around(own, granularity));
    int size = runs.get(0).steps().size();
    int from = firstFrom(runs.get(0).steps(), fromMillis);
    int latest = from + (size - from) / LATEST_START;
    List<Run> ready = runs.stream().filter(run -> run.start() <= latest).toList();
    int start = ready.stream().mapToInt(run -> Math.max(from, run.start())).max().orElse(size);
    int middle = start + (size - start) / 2;
    if (middle - start < LEAST_COMMITS) {
      return new Tuning(
          history,
          budget,
          List.of(),
          runs.size() - ready.size(),
          null,
          null,
          new Verdict.TooShort(tooFewCommits(size, size - from, size - start)),
          check);
    }
    List<Candidate> candidates = candidates(ready, start, middle, budget);
    List<Step> steps = ready.get(0).steps();
    PolicyText ownText =
        new PolicyText(own.policy(), own.lookbackCommits(), own.lookbackSpan(), granularity);
    return new Tuning(
        history,
        budget,
        candidates,
        runs.size() - ready.size(),
        candidates.stream().filter(c -> c.policy().equals(ownText)).findFirst().orElse(null),
        new Spans(time(steps, start), time(steps, middle), time(steps, size - 1)),
        verdict(candidates, budget),
        check);
  }

  /** The first step that is not before this time. */
  private static int firstFrom(List<Step> steps, long fromMillis) {
    int first = 0;
    while (first < steps.size() && time(steps, first) < fromMillis) {
      first++;
    }
    return first;
  }

  /** Each with the first step at which it has a watermark; what lies before warms it up. */
  private static List<Run> runs(StoredHistory history, List<PolicyText> texts) {
    List<Run> runs = new ArrayList<>();
    for (PolicyText text : texts) {
      List<Step> steps =
          EngineReplay.run(history, Trial.of(text)).stream()
              .filter(step -> step.commit().isOfWriter())
              .toList();
      int start = 0;
      while (start < steps.size() && steps.get(start).base() == null) {
        start++;
      }
      runs.add(new Run(text, steps, start));
    }
    return runs;
  }

  /** Those that move the watermark alike are one: the first, whose window is the shortest. */
  private static List<Candidate> candidates(List<Run> runs, int start, int middle, Budget budget) {
    Set<List<@Nullable Long>> seen = new HashSet<>();
    List<Candidate> candidates = new ArrayList<>();
    for (Run run : runs) {
      List<Step> measured = run.steps().subList(start, run.steps().size());
      List<@Nullable Long> watermarks = new ArrayList<>();
      measured.forEach(step -> watermarks.add(step.after()));
      if (seen.add(watermarks)) {
        List<Step> first = run.steps().subList(start, middle);
        List<Step> second = run.steps().subList(middle, run.steps().size());
        Granularity granularity = run.policy().granularity();
        Figures earlier = Figures.of(first, granularity);
        candidates.add(
            new Candidate(
                run.policy(),
                earlier,
                LateBound.of(first, earlier),
                Figures.of(second, granularity)));
      }
    }
    candidates.sort(freshestFirst(budget));
    return candidates;
  }

  private static Comparator<Candidate> freshestFirst(Budget budget) {
    return Comparator.<Candidate>comparingDouble(c -> budget.lag(c.earlier()).meanMillis())
        .thenComparingLong(c -> c.earlier().late().estimate());
  }

  private static Verdict verdict(List<Candidate> candidates, Budget budget) {
    long rows = candidates.get(0).earlier().rows();
    if (rows < budget.rowsNeeded()) {
      return new Verdict.TooShort(
          String.format(
              Locale.ROOT,
              "the earlier half has %,d rows; %,d are needed to tell a late share of %s, since not"
                  + " even none late among fewer would show it",
              rows,
              budget.rowsNeeded(),
              Percent.of(budget.maxLateShare())));
    }
    for (Candidate candidate : candidates) {
      if (candidate.isSure(budget)) {
        return checked(candidate, budget);
      }
    }
    long lucky = candidates.stream().filter(c -> c.wasWithin(budget)).count();
    if (lucky > 0) {
      return new Verdict.TooShort(
          lucky
              + (lucky == 1 ? " policy was" : " policies were")
              + " within the budget on the earlier half, but none so clearly that it is so with"
              + " 95 % confidence");
    }
    return noneMeets(candidates, budget);
  }

  /** A half without rows keeps any budget: it confirms nothing. */
  private static Verdict checked(Candidate candidate, Budget budget) {
    if (!candidate.isConfirmed(budget)) {
      return new Verdict.NotConfirmed(candidate);
    }
    long rows = candidate.later().rows();
    return rows >= budget.rowsNeeded()
        ? new Verdict.Found(candidate)
        : new Verdict.TooShort(
            String.format(
                Locale.ROOT,
                "the later half, which is to confirm the choice of the earlier, has %,d rows; %,d"
                    + " are needed",
                rows,
                budget.rowsNeeded()));
  }

  private static Verdict noneMeets(List<Candidate> candidates, Budget budget) {
    Candidate leastLate =
        candidates.stream()
            .min(Comparator.comparingDouble(c -> c.earlier().mostLateShare()))
            .orElseThrow();
    Candidate freshest =
        candidates.stream()
            .filter(c -> c.earlier().mostLateShare() <= budget.maxLateShare())
            .findFirst()
            .orElse(leastLate);
    return new Verdict.NoneMeets(leastLate, freshest);
  }

  private static String tooFewCommits(int commits, int asked, int measured) {
    return commits
        + " commits of writers are kept, "
        + (asked < commits ? asked + " of them from the time that was given on, " : "")
        + "and "
        + measured
        + " are left once the windows are full; "
        + 2 * LEAST_COMMITS
        + " are needed, "
        + LEAST_COMMITS
        + " for each half";
  }

  private static long time(List<Step> steps, int index) {
    return steps.get(index).commit().made().timeMillis();
  }
}

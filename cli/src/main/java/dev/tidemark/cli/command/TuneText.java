package dev.tidemark.cli.command;

import dev.tidemark.cli.replay.Budget;
import dev.tidemark.cli.replay.Candidate;
import dev.tidemark.cli.replay.Figures;
import dev.tidemark.cli.replay.HistoryNotes;
import dev.tidemark.cli.replay.Percent;
import dev.tidemark.cli.replay.Tuning;
import dev.tidemark.cli.replay.Verdict;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A search for people, in 80 columns. */
final class TuneText {
  private static final int FEW = 6;

  private TuneText() {}

  /** {@code FOUND}, {@code NOT_CONFIRMED}, {@code NONE_MEETS}, {@code TOO_SHORT}. */
  static String name(Verdict verdict) {
    if (verdict instanceof Verdict.Found) {
      return "FOUND";
    }
    if (verdict instanceof Verdict.NotConfirmed) {
      return "NOT_CONFIRMED";
    }
    return verdict instanceof Verdict.NoneMeets ? "NONE_MEETS" : "TOO_SHORT";
  }

  /** {@code commit} or {@code events}. */
  static String behind(Budget budget) {
    return budget.behind().name().toLowerCase(Locale.ROOT);
  }

  /**
   * The whole answer.
   *
   * @param all whether to list every candidate
   */
  static String of(String table, Tuning tuning, boolean all) {
    StringBuilder text = new StringBuilder();
    text.append(Wrapped.of("", table + ": " + budget(tuning.budget())));
    text.append('\n').append(Wrapped.of("", verdict(tuning))).append('\n');
    if (!tuning.candidates().isEmpty()) {
      table(text, tuning, all);
    }
    text.append("What this rests on:\n");
    HistoryNotes.of(tuning).forEach(note -> text.append(Wrapped.of("- ", note)));
    return text.toString().stripTrailing();
  }

  private static String budget(Budget budget) {
    Duration lag = budget.maxLag();
    return "at most "
        + Percent.of(budget.maxLateShare())
        + " late"
        + (lag == null
            ? ", as fresh as can be"
            : " and "
                + Spans.text(lag.toMillis())
                + " behind "
                + behind(budget)
                + " (after 95 of 100 commits)");
  }

  private static String verdict(Tuning tuning) {
    Verdict verdict = tuning.verdict();
    if (verdict instanceof Verdict.Found found) {
      return "FOUND: "
          + ReplayText.policy(found.candidate().policy())
          + ". It is the freshest that met the budget on the earlier half, with 95 % confidence"
          + " (late at most "
          + Percent.of(found.candidate().earlierBound())
          + "), and it met it on the later half, which was held out.";
    }
    if (verdict instanceof Verdict.NotConfirmed broken) {
      return "NOT CONFIRMED: "
          + ReplayText.policy(broken.candidate().policy())
          + " met the budget on the earlier half, but not on the later, which was held out ("
          + missed(broken.candidate().later(), tuning.budget())
          + "). The stream has changed, or the budget is too tight for this history.";
    }
    if (verdict instanceof Verdict.NoneMeets none) {
      return "NONE MEETS the budget on the earlier half. Least late: "
          + ReplayText.policy(none.leastLate().policy())
          + " ("
          + missed(none.leastLate().earlier(), tuning.budget())
          + "). Freshest within the late share: "
          + ReplayText.policy(none.freshest().policy())
          + " ("
          + missed(none.freshest().earlier(), tuning.budget())
          + ").";
    }
    return "TOO SHORT to tell: " + ((Verdict.TooShort) verdict).reason() + ".";
  }

  private static String missed(Figures figures, Budget budget) {
    return Percent.of(figures.mostLateShare())
        + " late, "
        + Spans.text(budget.lag(figures).p95Millis())
        + " behind";
  }

  private static void table(StringBuilder text, Tuning tuning, boolean all) {
    Tuning.Spans spans = tuning.spans();
    if (spans != null) {
      Candidate any = tuning.candidates().get(0);
      text.append(
          Wrapped.of(
              "",
              "earlier half from "
                  + Spans.time(spans.firstMillis())
                  + String.format(Locale.ROOT, " (%,d rows), later from ", any.earlier().rows())
                  + Spans.time(spans.splitMillis())
                  + String.format(Locale.ROOT, " (%,d rows)", any.later().rows())));
    }
    text.append(
        Wrapped.of(
            "",
            "bound: what the late share may be, with 95 % confidence; lag behind "
                + behind(tuning.budget())
                + " and false finals (granules that were final and got rows) are of the later"
                + " half; freshest on the earlier half first; * meets the budget on both"));
    text.append('\n');
    line(text, "", "", "late:", "", "late:", "", "", "false", "");
    line(text, "policy", "window", "earlier", "bound", "later", "mean", "p95", "finals", "");
    for (Candidate candidate : all ? tuning.candidates() : shown(tuning)) {
      Figures later = candidate.later();
      Figures.Lag lag = tuning.budget().lag(later);
      line(
          text,
          shortened(candidate.policy().policy().toString()),
          window(candidate.policy()),
          Percent.of(candidate.earlier().lateShare()),
          Percent.of(candidate.earlierBound()),
          Percent.of(later.lateShare()),
          Spans.text(lag.meanMillis()),
          Spans.text(lag.p95Millis()),
          Integer.toString(later.falseFinals()),
          (candidate.isSure(tuning.budget()) && candidate.isConfirmed(tuning.budget()) ? "*" : "")
              + (candidate.equals(tuning.own()) ? "now" : ""));
    }
    int more = tuning.candidates().size() - shown(tuning).size();
    if (!all && more > 0) {
      text.append("and ").append(more).append(" more: --all\n");
    }
    text.append('\n');
  }

  /**
   * Of those that no other beats in both freshness and late rows: the freshest within the budget,
   * the least late outside of it; and those that the verdict or the table itself names.
   */
  private static List<Candidate> shown(Tuning tuning) {
    List<Candidate> within = new ArrayList<>();
    List<Candidate> outside = new ArrayList<>();
    double least = Double.MAX_VALUE;
    for (Candidate candidate : tuning.candidates()) {
      if (candidate.earlier().lateShare() < least) {
        least = candidate.earlier().lateShare();
        (candidate.isSure(tuning.budget()) ? within : outside).add(candidate);
      }
    }
    Set<Candidate> shown = new HashSet<>(within.subList(0, Math.min(FEW, within.size())));
    shown.addAll(outside.subList(Math.max(0, outside.size() - FEW), outside.size()));
    if (tuning.verdict() instanceof Verdict.NoneMeets none) {
      shown.add(none.leastLate());
      shown.add(none.freshest());
    }
    Candidate own = tuning.own();
    if (own != null) {
      shown.add(own);
    }
    return tuning.candidates().stream().filter(shown::contains).toList();
  }

  private static String shortened(String policy) {
    return policy.replace("bounded-lateness:", "bounded:");
  }

  private static String window(PolicyText policy) {
    return policy.lookbackCommits()
        + (policy.lookbackSpan().isZero() ? "" : "," + policy.lookbackSpan());
  }

  private static void line(StringBuilder text, String... cells) {
    text.append(
        String.format(Locale.ROOT, "%-15s %-8s %8s %8s %8s %7s %7s %6s %s", (Object[]) cells)
            .stripTrailing());
    text.append('\n');
  }
}

package dev.tidemark.cli.command;

import dev.tidemark.cli.replay.Figures;
import dev.tidemark.cli.replay.HistoryNotes;
import dev.tidemark.cli.replay.Percent;
import dev.tidemark.cli.replay.Replay;
import dev.tidemark.cli.replay.Step;
import dev.tidemark.finalization.eventtime.RowsBelow;
import dev.tidemark.finalization.watermark.PolicyText;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A replay for people, in 80 columns. */
final class ReplayText {
  private static final int MOST_HOURS = 8;
  private static final double ALIKE_MILLIS = 500;

  private ReplayText() {}

  static String of(String table, Replay replay) {
    StringBuilder text = new StringBuilder(table).append('\n');
    text.append("  replayed   ").append(policy(replay.policy())).append('\n');
    text.append("  published  ").append(policy(replay.history().newest().policy())).append('\n');
    if (replay.isMeasurable()) {
      measured(text, replay);
    } else {
      text.append('\n').append(Wrapped.of("", unmeasured(replay)));
    }
    text.append("\nWhat this rests on:\n");
    HistoryNotes.of(replay).forEach(note -> text.append(Wrapped.of("- ", note)));
    return text.toString().stripTrailing();
  }

  static String policy(PolicyText policy) {
    return policy.policy()
        + " over "
        + policy.lookbackCommits()
        + (policy.lookbackCommits() == 1 ? " commit" : " commits")
        + (policy.lookbackSpan().isZero() ? "" : " and " + policy.lookbackSpan())
        + ", granule "
        + policy.granularity();
  }

  /** The answer in one sentence. */
  static String sentence(Replay replay) {
    Figures replayed = replay.replayed().figures();
    double ahead = replay.fresherMillis();
    String fresher =
        Math.abs(ahead) < ALIKE_MILLIS
            ? "as fresh as published"
            : Spans.text(Math.abs(ahead)) + (ahead > 0 ? " fresher" : " staler");
    return replay.policy().policy()
        + " would have been "
        + fresher
        + ", with "
        + Percent.of(replayed.lateShare())
        + " late (published: "
        + Percent.of(replay.published().figures().lateShare())
        + ").";
  }

  private static String unmeasured(Replay replay) {
    return "There is no commit at which both had a watermark already: "
        + replay.history().writerCommits()
        + " commits of writers are kept, and the window must be full first. Try a shorter"
        + " --lookback.";
  }

  private static void measured(StringBuilder text, Replay replay) {
    Figures published = replay.published().figures();
    Figures replayed = replay.replayed().figures();
    List<Step> steps = replay.replayed().steps();
    text.append(
        String.format(
            Locale.ROOT,
            "  measured   %,d of %,d commits, until %s%n%n",
            replayed.commits(),
            replay.history().writerCommits(),
            Spans.time(steps.get(steps.size() - 1).commit().made().timeMillis())));
    row(text, "", "published", "replayed");
    row(
        text,
        "watermark",
        time(replay.published().newestMillis()),
        time(replay.replayed().newestMillis()));
    lag(text, "behind commit, mean", published.behindCommit(), replayed.behindCommit(), true);
    lag(text, "               p95", published.behindCommit(), replayed.behindCommit(), false);
    lag(text, "behind events, mean", published.behindEvents(), replayed.behindEvents(), true);
    lag(text, "               p95", published.behindEvents(), replayed.behindEvents(), false);
    row(text, "late rows", late(published), late(replayed));
    if (!replayed.late().isExact()) {
      row(text, "  at least, at most", "", bounds(replayed));
    }
    row(text, "reopened granules", reopened(published), reopened(replayed));
    text.append('\n').append(Wrapped.of("", sentence(replay)));
    hours(text, replayed);
  }

  private static void hours(StringBuilder text, Figures replayed) {
    List<Map.Entry<Long, RowsBelow>> worst =
        replayed.reopened().entrySet().stream()
            .sorted(
                Comparator.comparingLong((Map.Entry<Long, RowsBelow> e) -> -e.getValue().estimate())
                    .thenComparing(Map.Entry::getKey))
            .limit(MOST_HOURS)
            .toList();
    if (worst.isEmpty()) {
      return;
    }
    int others = replayed.reopened().size() - worst.size();
    text.append("\nGranules with most late rows (~ from digests):\n");
    worst.forEach(
        hour ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "  %s  %s%,d%n",
                    Spans.time(hour.getKey()),
                    hour.getValue().isExact() ? " " : "~",
                    hour.getValue().estimate())));
    if (others > 0) {
      text.append("  and ").append(others).append(" more\n");
    }
  }

  private static void lag(
      StringBuilder text, String name, Figures.Lag published, Figures.Lag replayed, boolean mean) {
    row(
        text,
        name,
        Spans.text(mean ? published.meanMillis() : published.p95Millis()),
        Spans.text(mean ? replayed.meanMillis() : replayed.p95Millis()));
  }

  private static void row(StringBuilder text, String name, String published, String replayed) {
    text.append(
        String.format(Locale.ROOT, "  %-21s%-27s%s", name, published, replayed).stripTrailing());
    text.append('\n');
  }

  private static String time(@Nullable Long millis) {
    return millis == null ? "none" : Spans.time(millis);
  }

  private static String late(Figures figures) {
    return String.format(
        Locale.ROOT,
        "%s%,d of %,d: %s",
        figures.late().isExact() ? "" : "~",
        figures.late().estimate(),
        figures.rows(),
        Percent.of(figures.lateShare()));
  }

  private static String bounds(Figures figures) {
    return Percent.of(figures.leastLateShare()) + ", " + Percent.of(figures.mostLateShare());
  }

  private static String reopened(Figures figures) {
    return String.format(
        Locale.ROOT, "%,d (%,d became final)", figures.falseFinals(), figures.finals());
  }
}

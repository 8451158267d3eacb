package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.Counted;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.WriterState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Holds that come out of the window of a writer's recent commits. */
final class WindowCauses {
  private final Scene scene;
  private final FinalizationPolicy policy;

  WindowCauses(Scene scene) {
    this.scene = scene;
    this.policy = scene.statistic();
  }

  Cause warmUp() {
    CommitWindow window = window();
    int commits = scene.policy().lookbackCommits();
    Duration span = scene.policy().lookbackSpan();
    long have = window.commits();
    long start = window.runs().isEmpty() ? 0 : window.startMillis();
    Duration spanned = Duration.ofMillis(window.newestMillis() - start);
    String why =
        "The window of "
            + scene.writerText()
            + " holds "
            + have
            + " of "
            + Counted.of(commits, "commit")
            + " and spans "
            + TimeText.duration(spanned)
            + " of the "
            + TimeText.duration(span)
            + " of commit time that the policy asks for.";
    List<String> moves = new ArrayList<>();
    long missing = Math.max(1, commits - have);
    moves.add(
        Counted.of(missing, "more commit")
            + " with stream records"
            + (span.isZero() || window.runs().isEmpty()
                ? ""
                : ", the last not before " + TimeText.instant(start + span.toMillis()))
            + "; "
            + scene.policy()
            + " is what the writer was configured with.");
    Facts facts = new Facts();
    facts.put("commits", have).put("commitsExpected", (long) commits);
    facts.put("span", spanned.toString()).put("spanExpected", span.toString());
    return new Cause(why, List.of(writer(facts, "its window is not full yet")), moves);
  }

  /** The candidate lies in the granule that the writer's own watermark has reached. */
  Cause insideGranule() {
    long watermark = Objects.requireNonNullElse(scene.ownWatermarkMillis(), 0L);
    String granule = scene.granule(watermark);
    long end = scene.granularity().next(watermark);
    CommitWindow window = window();
    if (policy instanceof FinalizationPolicy.SourcePromise) {
      return new SourceCauses(scene).promiseInside(granule, end);
    }
    if (window.runs().isEmpty()) {
      return new Cause("Nothing past " + granule + " is whole.", List.of(), List.of(moreRecords()));
    }
    long candidate = window.minimum();
    if (candidate >= end) {
      return new Cause(
          "Events are ahead of the clock: the least statistic of the window is "
              + TimeText.instant(candidate)
              + ", and no watermark passes the time of its commit.",
          leastCommit(),
          List.of("A commit at or after " + TimeText.instant(end) + "."));
    }
    return new Cause(
        "The candidate "
            + TimeText.instant(candidate)
            + " lies inside "
            + granule
            + ", which is final once the "
            + statistic()
            + " of every commit in the window is at or after "
            + TimeText.instant(end)
            + ".",
        leastCommit(),
        withTable("The commit of the least leaves the window " + departure(window) + "."));
  }

  /** And what a writer that joined behind the table has still to do for the table. */
  private List<String> withTable(String... moves) {
    List<String> all = new ArrayList<>(List.of(moves));
    Long table = scene.opinion().watermarkMillis();
    if (scene.isBehindTheTable() && table != null) {
      all.add(
          "The table itself moves once "
              + scene.writerText()
              + ", which stands at "
              + TimeText.instant(scene.ownWatermarkMillis())
              + " and joined behind it, has come to "
              + TimeText.instant(scene.granularity().next(table))
              + ".");
    }
    return all;
  }

  /** The candidate lies below the writer's own watermark. */
  Cause lateData() {
    CommitWindow window = window();
    long watermark = Objects.requireNonNullElse(scene.ownWatermarkMillis(), 0L);
    if (policy instanceof FinalizationPolicy.SourcePromise || window.runs().isEmpty()) {
      return new SourceCauses(scene).promiseBelow();
    }
    List<Responsible> responsible = new ArrayList<>(leastCommit());
    CommitFacts least = least();
    if (least != null) {
      least
          .late()
          .granules()
          .asMap()
          .forEach((start, rows) -> responsible.add(lateGranule(least, start, rows)));
    }
    return new Cause(
        "Late rows pulled the candidate to "
            + TimeText.instant(window.minimum())
            + ", below the watermark"
            + (scene.isBehindTheTable()
                ? " of " + scene.writerText() + ", " + TimeText.instant(watermark)
                : "")
            + ", which does not go back.",
        responsible,
        withTable(
            "The late rows leave the window "
                + departure(window)
                + "; then the "
                + statistic()
                + " must reach "
                + TimeText.instant(scene.granularity().next(watermark))
                + ".",
            "If rows are often this late, a wider window or a bounded-lateness policy fits the"
                + " source better: see tidemark tune."));
  }

  Cause noData() {
    CommitWindow window = window();
    CommitFacts last = scene.last();
    if (scene.state() == null) {
      return new Cause(
          "No writer is registered.", List.of(), List.of("A writer that registers and commits."));
    }
    if (window.total() == 0) {
      return new Cause(
          "Writer " + scene.writer() + " has registered and committed no stream record yet.",
          List.of(writer(new Facts(), "it has committed no stream record yet")),
          List.of(moreRecords()));
    }
    String id = last == null ? "The last commit" : "Commit " + last.id();
    EventTimeFacts facts = last == null ? null : last.facts();
    return new Cause(
        id
            + " holds no stream record"
            + (facts == null ? "" : aside(facts.setAside()))
            + ", and nothing else says that time went on.",
        last == null ? List.of() : List.of(commit(last, "it holds no stream record")),
        List.of(
            moreRecords(),
            "A source that reports coverage lets time go on without records: by an idle timeout, or"
                + " by promises (source-promise)."));
  }

  /** What holds the next granule, after a commit that moved the watermark. */
  Cause moved() {
    Long watermark = scene.opinion().watermarkMillis();
    CommitWindow window = window();
    if (watermark == null || window.runs().isEmpty()) {
      return new Cause("", List.of(), List.of(moreRecords()));
    }
    long end = scene.granularity().next(watermark);
    String of = scene.opinion().writers().size() > 1 ? " of " + scene.writerText() : "";
    String next = scene.granule(watermark) + " is final once ";
    if (policy instanceof FinalizationPolicy.SourcePromise) {
      return new Cause(
          "",
          List.of(),
          List.of(
              next
                  + "every partition"
                  + of
                  + " has promised up to "
                  + TimeText.instant(end)
                  + "."));
    }
    String least =
        window.minimum() < end ? "; the least leaves the window " + departure(window) : "";
    return new Cause(
        "",
        leastCommit(),
        List.of(
            next
                + "the "
                + statistic()
                + " of every commit in the window"
                + of
                + " is at or after "
                + TimeText.instant(end)
                + least
                + "."));
  }

  private String departure(CommitWindow window) {
    return Departure.of(window, scene.policy()).text(scene.policy());
  }

  private List<Responsible> leastCommit() {
    CommitFacts least = least();
    if (least == null) {
      return List.of();
    }
    return List.of(commit(least, "its " + statistic() + " is the least of the window"));
  }

  /** The commit with the least statistic among those of the window; the newest of equals. */
  private @Nullable CommitFacts least() {
    String writer = scene.writer();
    if (writer == null) {
      return null;
    }
    List<CommitFacts> inside =
        scene.recent().stream()
            .filter(commit -> writer.equals(commit.writer()) && commit.hasStreamRecords())
            .limit(window().commits())
            .toList();
    CommitFacts least = null;
    for (CommitFacts commit : inside) {
      if (least == null || statistic(commit) < statistic(least)) {
        least = commit;
      }
    }
    return least;
  }

  private long statistic(CommitFacts commit) {
    return policy.statistic(times(commit));
  }

  private static EventTimeSketch times(CommitFacts commit) {
    return Objects.requireNonNull(commit.facts(), "a commit with stream records has facts").times();
  }

  private String statistic() {
    if (policy instanceof FinalizationPolicy.Quantile quantile) {
      return "quantile " + quantile.quantile();
    }
    return policy instanceof FinalizationPolicy.BoundedLateness bounded
        ? "latest event less " + TimeText.duration(bounded.lateness())
        : "earliest event";
  }

  private Responsible commit(CommitFacts commit, String what) {
    Facts facts = new Facts().time("time", commit.timeMillis()).put("writer", commit.writer());
    String statistic = "";
    if (commit.hasStreamRecords()) {
      EventTimeSketch times = times(commit);
      facts.time("statistic", statistic(commit)).put("streamRows", times.count());
      facts.time("min", times.minMillis()).time("max", times.maxMillis());
      statistic = " (" + TimeText.instant(statistic(commit)) + ")";
    }
    return facts.of(
        Responsible.Kind.COMMIT,
        commit.id(),
        "commit "
            + commit.id()
            + " of "
            + TimeText.instant(commit.timeMillis())
            + " by "
            + commit.writer()
            + ": "
            + what
            + statistic);
  }

  private Responsible lateGranule(CommitFacts commit, long start, long rows) {
    return new Facts()
        .put("rows", rows)
        .put("commit", commit.id())
        .of(
            Responsible.Kind.GRANULE,
            TimeText.instant(start),
            scene.granule(start) + " got " + Counted.of(rows, "row") + " after it was final");
  }

  private Responsible writer(Facts facts, String what) {
    String name = Objects.requireNonNullElse(scene.writer(), "none");
    WriterState state = scene.state();
    facts.time("watermark", state == null ? null : state.watermarkMillis());
    return facts.of(Responsible.Kind.WRITER, name, "writer " + name + ": " + what);
  }

  private CommitWindow window() {
    WriterState state = scene.state();
    return state == null ? CommitWindow.EMPTY : state.window();
  }

  private String moreRecords() {
    return "A commit of " + scene.writerText() + " with stream records.";
  }

  private static String aside(SetAside aside) {
    List<String> parts = new ArrayList<>();
    add(parts, aside.snapshotCount(), "of a snapshot");
    add(parts, aside.backfillCount(), "of a backfill");
    add(parts, aside.nullCount(), "without an event time");
    add(parts, aside.invalidCount(), "with an event time out of bounds");
    return parts.isEmpty() ? "" : " (but rows " + String.join(", ", parts) + ")";
  }

  private static void add(List<String> parts, long count, String what) {
    if (count > 0) {
      parts.add(what + ": " + count);
    }
  }
}

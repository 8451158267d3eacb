package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.Counted;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Says why a watermark stands where it stands: a pure function of the opinion and of the facts of
 * recent commits. Looks back at most {@value Recent#MOST} commits, and no further than it must.
 */
public final class Explainer {
  private static final int USUAL_COMMITS = 20;
  private static final int SILENT_TIMES = 5;
  private static final Duration LEAST_SILENCE = Duration.ofMinutes(10);

  private Explainer() {}

  /**
   * Explains.
   *
   * @param table how messages name it
   * @param finality what it says now
   * @param commits its commits as of the same time, newest first; read lazily
   * @param revocation why the published watermark is revoked; empty if it is not
   */
  public static Explanation explain(
      String table, TableFinality finality, Stream<RecentCommit> commits, List<String> revocation) {
    Recent recent = new Recent(commits);
    Opinion opinion = finality.opinion();
    if (opinion == null) {
      return finality.revoked() ? revokedWhole(table, revocation) : unknown(table);
    }
    Scene scene = Scene.of(table, opinion, recent);
    List<String> notes = notes(scene, finality);
    if (finality.revoked()) {
      return revoked(scene, revocation, notes);
    }
    Hold hold = opinion.hold();
    return hold == null ? moved(scene, notes) : held(scene, cause(scene, hold, revocation), notes);
  }

  private static Explanation unknown(String table) {
    return new Explanation(
        table,
        Explanation.State.UNKNOWN,
        null,
        "The table carries no finalization metadata: no commit of a Tidemark sink is on it.",
        null,
        null,
        List.of(),
        List.of("A sink with finalization that writes this table."),
        List.of());
  }

  private static Explanation revokedWhole(String table, List<String> revocation) {
    return new Explanation(
        table,
        Explanation.State.REVOKED,
        null,
        "What was published is revoked, and the table carries no opinion any more: "
            + String.join("; ", revocation)
            + ".",
        null,
        null,
        List.of(),
        List.of("Roll forward, or let the sink commit again and then: tidemark reset " + table),
        List.of());
  }

  private static Explanation revoked(Scene scene, List<String> revocation, List<String> notes) {
    return new Explanation(
        scene.table(),
        Explanation.State.REVOKED,
        scene.opinion(),
        "What was published is revoked: "
            + String.join("; ", revocation)
            + ". What the table holds reaches to "
            + TimeText.instant(scene.opinion().watermarkMillis())
            + ".",
        scene.recent().since(Hold.Reason.ROLLED_BACK),
        scene.standsSince(),
        List.of(),
        new TableCauses(scene).reset(),
        notes);
  }

  private static Explanation moved(Scene scene, List<String> notes) {
    Scene least = Scene.ofLeast(scene.table(), scene.opinion(), scene.recent());
    Cause cause = new WindowCauses(least).moved();
    Explanation.Since since = scene.recent().since(null);
    return new Explanation(
        scene.table(),
        Explanation.State.MOVED,
        scene.opinion(),
        "The last commit moved the watermark to "
            + TimeText.instant(scene.opinion().watermarkMillis())
            + ".",
        since,
        scene.standsSince(),
        cause.responsible(),
        cause.moves(),
        notes);
  }

  private static Explanation held(Scene scene, Cause cause, List<String> notes) {
    return new Explanation(
        scene.table(),
        Explanation.State.HELD,
        scene.opinion(),
        cause.why(),
        scene.recent().since(scene.hold().reason()),
        scene.standsSince(),
        cause.responsible(),
        cause.moves(),
        notes);
  }

  private static Cause cause(Scene scene, Hold hold, List<String> revocation) {
    WindowCauses window = new WindowCauses(scene);
    SourceCauses source = new SourceCauses(scene);
    TableCauses table = new TableCauses(scene);
    return switch (hold.reason()) {
      case WARM_UP -> window.warmUp();
      case INSIDE_GRANULE -> window.insideGranule();
      case LATE_DATA -> window.lateData();
      case NO_DATA -> window.noData();
      case IDLE_SOURCE -> source.idle();
      case SOURCE_BEHIND -> source.behind();
      case WRITER_BEHIND -> table.writerBehind();
      case FOREIGN_COMMIT -> table.foreignCommit();
      case BOOTSTRAP_PENDING -> table.bootstrapPending();
      case ROLLED_BACK -> table.rolledBack(revocation);
      case CLOCK -> table.clock();
    };
  }

  private static List<String> notes(Scene scene, TableFinality finality) {
    List<String> notes = new ArrayList<>();
    String silence = silence(scene, finality.age());
    if (silence != null) {
      notes.add(silence);
    }
    Hold hold = scene.opinion().hold();
    List<String> others = scene.alsoBehind();
    if (hold != null && hold.reason() != Hold.Reason.WRITER_BEHIND && !others.isEmpty()) {
      notes.add("No further than the table have come, besides: " + String.join(", ", others) + ".");
    }
    finality
        .foreign()
        .asMap()
        .forEach(
            (start, rows) ->
                notes.add(
                    "Commits of others since then brought up to "
                        + Counted.of(rows, "row")
                        + " into "
                        + scene.granule(start)
                        + ", which was final."));
    if (finality.endsAtWatermark()) {
      notes.add(
          "Nobody claims anything past the watermark: what Pinot consumes itself carries no facts.");
    }
    return notes;
  }

  /** Whether commits have stopped coming; what the opinion says is then as old as the last. */
  private static @Nullable String silence(Scene scene, Duration age) {
    List<Long> times =
        scene.recent().stream()
            .filter(commit -> !commit.isForeign())
            .limit(USUAL_COMMITS)
            .map(CommitFacts::timeMillis)
            .toList();
    if (times.size() < 2) {
      return null;
    }
    List<Long> gaps = new ArrayList<>();
    for (int i = 1; i < times.size(); i++) {
      gaps.add(times.get(i - 1) - times.get(i));
    }
    gaps.sort(null);
    Duration usual = Duration.ofMillis(Math.max(0, gaps.get(gaps.size() / 2)));
    boolean silent =
        age.compareTo(LEAST_SILENCE) > 0 && age.compareTo(usual.multipliedBy(SILENT_TIMES)) > 0;
    return silent
        ? "No commit for "
            + TimeText.duration(age)
            + "; they used to come every "
            + TimeText.duration(usual)
            + ": see whether the writer still runs."
        : null;
  }
}

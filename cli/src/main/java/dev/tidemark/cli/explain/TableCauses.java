package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.WriterState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds that come from the table, or from its other writers. */
final class TableCauses {
  private final Scene scene;

  TableCauses(Scene scene) {
    this.scene = scene;
  }

  Cause writerBehind() {
    List<Responsible> responsible = new ArrayList<>();
    List<String> moves = new ArrayList<>();
    List<Map.Entry<String, WriterState>> laggards = laggards();
    for (Map.Entry<String, WriterState> laggard : laggards.stream().limit(Abridged.MOST).toList()) {
      responsible.add(writer(laggard.getKey(), laggard.getValue()));
      moves.add(
          "A commit of writer "
              + laggard.getKey()
              + " with later events"
              + (isOnlyWriter()
                  ? "."
                  : "; or, if it will not come back: tidemark writers retire "
                      + scene.table()
                      + " "
                      + laggard.getKey()));
    }
    return new Cause(
        isOnlyWriter()
            ? "The table is as far as its only registered writer."
            : "The table is as far as the least of its "
                + scene.opinion().writers().size()
                + " registered writers"
                + furthest()
                + "."
                + (Abridged.isAbridged(scene.hold().names())
                    ? " "
                        + laggards.size()
                        + " hold it: "
                        + Abridged.listed(responsible.size(), laggards.size())
                        + "."
                    : ""),
        responsible,
        moves);
  }

  /**
   * Those of the hold, and where it names only the first few by name, all that have come no further
   * than the table; who has come least far first.
   */
  private List<Map.Entry<String, WriterState>> laggards() {
    List<String> names = scene.hold().names();
    List<Map.Entry<String, WriterState>> laggards = new ArrayList<>();
    for (Map.Entry<String, WriterState> entry : scene.opinion().writers().entrySet()) {
      boolean behind = Abridged.isAbridged(names) && isNoFurther(entry.getValue());
      if (behind || names.contains(entry.getKey())) {
        laggards.add(entry);
      }
    }
    laggards.sort(
        Comparator.comparing(
            entry -> entry.getValue().watermarkMillis(),
            Comparator.nullsFirst(Comparator.naturalOrder())));
    return laggards;
  }

  private boolean isNoFurther(WriterState state) {
    Long own = state.watermarkMillis();
    Long table = scene.opinion().watermarkMillis();
    return own == null || (table != null && own <= table);
  }

  private boolean isOnlyWriter() {
    return scene.opinion().writers().size() == 1;
  }

  private String furthest() {
    String best = null;
    Long bestMillis = null;
    for (Map.Entry<String, WriterState> entry : scene.opinion().writers().entrySet()) {
      Long own = entry.getValue().watermarkMillis();
      if (own != null && (bestMillis == null || own > bestMillis)) {
        best = entry.getKey();
        bestMillis = own;
      }
    }
    return best == null ? "" : "; " + best + " has come as far as " + TimeText.instant(bestMillis);
  }

  private Responsible writer(String name, WriterState state) {
    CommitFacts last = scene.recent().newestOf(name);
    Hold own = last == null ? null : last.hold();
    Facts facts = new Facts().time("watermark", state.watermarkMillis());
    String text =
        "writer "
            + name
            + (state.watermarkMillis() == null
                ? ": has no candidate yet"
                : ": stands at " + TimeText.instant(state.watermarkMillis()));
    if (last == null) {
      return facts.of(Responsible.Kind.WRITER, name, text + "; no commit of it is kept");
    }
    facts.put("lastCommit", last.id()).time("lastCommitTime", last.timeMillis());
    facts.put("lastHold", own == null ? null : own.toString());
    return facts.of(
        Responsible.Kind.WRITER,
        name,
        text
            + "; its last commit "
            + last.id()
            + " of "
            + TimeText.instant(last.timeMillis())
            + (own == null ? " moved the table" : " was held by " + own));
  }

  Cause foreignCommit() {
    List<Responsible> responsible = new ArrayList<>();
    boolean below = false;
    for (CommitFacts commit : scene.recent()) {
      if (below && !commit.isForeign()) {
        break;
      }
      below |= commit.hold() != null && commit.hold().reason() == Hold.Reason.FOREIGN_COMMIT;
      if (below && commit.isForeign()) {
        responsible.add(foreign(commit));
      }
    }
    return new Cause(
        "A commit of somebody else brought rows whose event times are not known, since its files"
            + " have no bounds of the event-time column.",
        responsible,
        List.of(
            "The next commit of a writer goes on; those rows stay unvouched for: find the job that"
                + " appended them, and let it keep column metrics."));
  }

  private static Responsible foreign(CommitFacts commit) {
    Map<String, String> summary = commit.commit().properties();
    return new Facts()
        .time("time", commit.timeMillis())
        .put("addedRecords", summary.get("added-records"))
        .put("engine", engine(summary))
        .of(
            Responsible.Kind.COMMIT,
            commit.id(),
            "commit "
                + commit.id()
                + " of "
                + TimeText.instant(commit.timeMillis())
                + ": "
                + summary.getOrDefault("added-records", "an unknown number of")
                + " rows by "
                + (engine(summary) == null ? "an engine that gives no name" : engine(summary)));
  }

  private static @Nullable String engine(Map<String, String> summary) {
    String engine = summary.get("engine-name");
    return engine == null ? summary.get("spark.app.id") : engine;
  }

  Cause bootstrapPending() {
    return new Cause(
        "A bootstrap runs beside the stream: until it is complete nobody can say from where on the"
            + " table is whole.",
        List.of(),
        List.of(
            "The end of the bootstrap; a program that does not say so itself is spoken for by:"
                + " tidemark complete-bootstrap "
                + scene.table()
                + " --from TIME"));
  }

  Cause rolledBack(List<String> revocation) {
    return new Cause(
        "The table was rolled back behind rows that a published watermark speaks for"
            + (revocation.isEmpty() ? "" : ": " + String.join("; ", revocation))
            + ". Data goes on, the watermark does not.",
        List.of(),
        reset());
  }

  List<String> reset() {
    return List.of(
        "Nothing by itself. Either bring back what was published (roll forward), or, if the loss is"
            + " meant and consumers are told: tidemark reset "
            + scene.table());
  }

  Cause clock() {
    CommitFacts last = scene.last();
    CommitFacts parent = null;
    boolean seen = false;
    for (CommitFacts commit : scene.recent()) {
      if (seen) {
        parent = commit;
        break;
      }
      seen = last != null && commit.id().equals(last.id());
    }
    String times =
        last == null || parent == null
            ? "."
            : ": commit "
                + last.id()
                + " of "
                + TimeText.instant(last.timeMillis())
                + " follows commit "
                + parent.id()
                + " of "
                + TimeText.instant(parent.timeMillis())
                + ".";
    return new Cause(
        "A commit was made at a time before its parent's, so a clock is wrong" + times,
        last == null
            ? List.of()
            : List.of(
                new Facts()
                    .time("time", last.timeMillis())
                    .time("parentTime", parent == null ? null : parent.timeMillis())
                    .put("writer", last.writer())
                    .of(
                        Responsible.Kind.COMMIT,
                        last.id(),
                        "commit " + last.id() + " by " + last.writer())),
        List.of(
            "A commit whose clock is past the newest commit's time: compare the clocks of the hosts"
                + " that commit."));
  }
}

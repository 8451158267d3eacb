package dev.tidemark.cli.replay;

import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a history cannot tell, or tells only so well: in words, for people. */
public final class HistoryNotes {
  private static final double LOADED_LATER_MILLIS = Duration.ofDays(30).toMillis();

  private HistoryNotes() {}

  /** Of one replay. */
  public static List<String> of(Replay replay) {
    List<String> notes = new ArrayList<>();
    notes.add(ofCheck(replay.check()));
    addGaps(notes, replay.history());
    addPolicy(notes, replay.policy(), replay.history());
    if (replay.replayed().figures().behindCommit().meanMillis() > LOADED_LATER_MILLIS) {
      notes.add(
          "Commits were made long after the events: read the lag behind events, not the one behind"
              + " commit time.");
    }
    if (!replay.replayed().figures().late().isExact()) {
      notes.add(
          "Late rows below the published watermark are exact; above it they come from the commits'"
              + " digests, with the bounds given.");
    }
    return notes;
  }

  /** Of a search. */
  public static List<String> of(Tuning tuning) {
    List<String> notes = new ArrayList<>();
    notes.add(ofCheck(tuning.check()));
    addGaps(notes, tuning.history());
    if (tuning.windowTooLong() > 0) {
      notes.add(
          tuning.windowTooLong()
              + " policies took no part: their windows are not full after a quarter of the history.");
    }
    if (!tuning.candidates().isEmpty()) {
      notes.add(
          "95 % confidence is that of each policy by itself; the freshest of many that pass is also"
              + " the luckiest. What the later half says of it is free of that.");
    }
    if (tuning.candidates().stream().anyMatch(c -> c.earlier().late().estimate() == 0)) {
      notes.add(
          "Where no row was late at all, the bound is 3 / rows, as if rows were late one by one: an"
              + " outage that this history has not seen is in no bound.");
    }
    return notes;
  }

  private static String ofCheck(Replay.Check check) {
    String same =
        String.format(
            Locale.ROOT,
            "The table's own policy, replayed, gives the published watermark at %,d of %,d commits",
            check.commits() - check.different(),
            check.commits());
    return check.different() == 0
        ? same + "."
        : same
            + "; elsewhere something acted that no commit records, such as an idle timeout, a digest"
            + " cut short, or Pinot writers that commit at the same instant.";
  }

  private static void addGaps(List<String> notes, StoredHistory history) {
    StoredHistory.Gaps gaps = history.gaps();
    if (!gaps.isWhole()) {
      notes.add(
          "Older commits are not kept: a policy other than the table's starts with an empty window"
              + " at the oldest.");
    }
    if (gaps.foreign() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d commits of others (compaction, other engines) carry no facts; the event times of"
                  + " the %,d rows that they add are not known.",
              gaps.foreign(),
              gaps.foreignRows()));
    }
    add(notes, gaps.withoutFacts(), "commits of writers carry no facts and count as empty.");
    add(
        notes,
        gaps.withoutDigest(),
        "commits had no room for a digest: their quantiles lie between min, median and max.");
    add(
        notes,
        gaps.carriedOver(),
        "commits took their opinion over from another table: replay that table instead.");
    add(
        notes,
        gaps.abridged(),
        "commits list only the partitions that lag: the others count as read to their ends.");
    long coverage =
        history.commits().stream()
            .filter(c -> c.isOfWriter() && c.toldNow().coverage() != null)
            .count();
    if (coverage == 0) {
      notes.add("No coverage was recorded: lagging source partitions hold nothing back here.");
    } else if (coverage < history.writerCommits()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "Coverage was recorded by %,d of %,d commits and counts for those alone.",
              coverage,
              history.writerCommits()));
    }
    int writers = history.newest().writers().size();
    if (writers > 1) {
      notes.add(
          writers + " writers are replayed, each with its own window; the watermark is the least.");
    }
  }

  private static void addPolicy(List<String> notes, PolicyText policy, StoredHistory history) {
    if (policy.policy() instanceof FinalizationPolicy.Quantile) {
      notes.add(
          "Quantiles are read from stored digests: within their rank error (see docs/tuning.md) a"
              + " watermark may fall into the next granule.");
    }
    if (!policy.granularity().equals(history.newest().policy().granularity())) {
      notes.add(
          "The table counted in granules of "
              + history.newest().policy().granularity()
              + ": rows near other boundaries are known less well.");
    }
  }

  private static void add(List<String> notes, int count, String what) {
    if (count > 0) {
      notes.add(String.format(Locale.ROOT, "%,d %s", count, what));
    }
  }
}

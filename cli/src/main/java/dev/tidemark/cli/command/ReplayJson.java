package dev.tidemark.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.replay.Candidate;
import dev.tidemark.cli.replay.Figures;
import dev.tidemark.cli.replay.HistoryNotes;
import dev.tidemark.cli.replay.Replay;
import dev.tidemark.cli.replay.Tuning;
import dev.tidemark.cli.replay.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replays and searches as JSON. Times are ISO-8601 UTC, lags seconds, shares from 0 to 1. */
final class ReplayJson {
  private ReplayJson() {}

  static ObjectNode of(String table, Replay replay) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", table);
    json.put("policy", replay.policy().toString());
    json.put("publishedPolicy", replay.history().newest().policy().toString());
    json.put("commits", replay.history().writerCommits());
    json.put("measurable", replay.isMeasurable());
    check(json, replay.check());
    json.set("published", side(replay.published()));
    json.set("replayed", side(replay.replayed()));
    seconds(json, "fresherSeconds", replay.fresherMillis());
    notes(json, HistoryNotes.of(replay));
    return json;
  }

  static ObjectNode of(String table, Tuning tuning) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", table);
    json.put("maxLateShare", tuning.budget().maxLateShare());
    Duration maxLag = tuning.budget().maxLag();
    json.put("maxLagSeconds", maxLag == null ? null : Long.valueOf(maxLag.toSeconds()));
    json.put("lagBehind", TuneText.behind(tuning.budget()));
    json.put("verdict", TuneText.name(tuning.verdict()));
    if (tuning.verdict() instanceof Verdict.Found found) {
      json.put("policy", found.candidate().policy().toString());
    } else if (tuning.verdict() instanceof Verdict.NotConfirmed broken) {
      json.put("notConfirmed", broken.candidate().policy().toString());
    } else if (tuning.verdict() instanceof Verdict.NoneMeets none) {
      json.put("leastLate", none.leastLate().policy().toString());
      json.put("freshest", none.freshest().policy().toString());
    } else if (tuning.verdict() instanceof Verdict.TooShort tooShort) {
      json.put("reason", tooShort.reason());
    }
    check(json, tuning.check());
    Tuning.Spans spans = tuning.spans();
    if (spans != null) {
      json.put("earlierFrom", Instant.ofEpochMilli(spans.firstMillis()).toString());
      json.put("laterFrom", Instant.ofEpochMilli(spans.splitMillis()).toString());
      json.put("laterTo", Instant.ofEpochMilli(spans.lastMillis()).toString());
    }
    ArrayNode candidates = json.putArray("candidates");
    tuning.candidates().forEach(candidate -> candidates.add(candidate(candidate, tuning)));
    notes(json, HistoryNotes.of(tuning));
    return json;
  }

  private static ObjectNode candidate(Candidate candidate, Tuning tuning) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("policy", candidate.policy().toString());
    json.put("meetsEarlier", candidate.isSure(tuning.budget()));
    json.put("meetsLater", candidate.isConfirmed(tuning.budget()));
    ObjectNode earlier = figures(candidate.earlier());
    earlier.put("lateShareBound95", candidate.earlierBound());
    json.set("earlier", earlier);
    json.set("later", figures(candidate.later()));
    return json;
  }

  private static ObjectNode side(Replay.Side side) {
    ObjectNode json = figures(side.figures());
    Long newest = side.newestMillis();
    json.put("watermark", newest == null ? null : Instant.ofEpochMilli(newest).toString());
    ArrayNode hours = json.putArray("lateGranules");
    side.figures()
        .reopened()
        .forEach(
            (start, rows) ->
                hours
                    .addObject()
                    .put("start", Instant.ofEpochMilli(start).toString())
                    .put("rows", rows.estimate())
                    .put("atLeast", rows.least())
                    .put("atMost", rows.most()));
    return json;
  }

  private static ObjectNode figures(Figures figures) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("commits", figures.commits());
    json.put("rows", figures.rows());
    json.put("lateRows", figures.late().estimate());
    json.put("lateRowsAtLeast", figures.late().least());
    json.put("lateRowsAtMost", figures.late().most());
    json.put("lateShare", figures.lateShare());
    json.put("reopenedGranules", figures.falseFinals());
    json.put("finalGranules", figures.finals());
    lag(json.putObject("lagBehindCommit"), figures.behindCommit());
    lag(json.putObject("lagBehindEvents"), figures.behindEvents());
    return json;
  }

  private static void lag(ObjectNode json, Figures.Lag lag) {
    seconds(json, "meanSeconds", lag.meanMillis());
    json.put("p95Seconds", lag.p95Millis() / 1_000.0);
  }

  private static void seconds(ObjectNode json, String name, double millis) {
    json.put(
        name, (@Nullable Double) (Double.isNaN(millis) ? null : Double.valueOf(millis / 1_000)));
  }

  private static void check(ObjectNode json, Replay.Check check) {
    json.putObject("ownPolicyCheck")
        .put("commits", check.commits())
        .put("different", check.different());
  }

  private static void notes(ObjectNode json, List<String> notes) {
    ArrayNode array = json.putArray("notes");
    notes.forEach(array::add);
  }
}

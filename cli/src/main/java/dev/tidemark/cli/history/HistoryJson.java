package dev.tidemark.cli.history;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.late.LateRows;

/** A commit as JSON. Times are ISO-8601 UTC; what a commit does not say is absent or null. */
public final class HistoryJson {
  private HistoryJson() {}

  /** id, time, writer, rows, min, p50, max, watermark, hold, lateRows, late, lateForeign. */
  public static ObjectNode of(CommitFacts commit) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", commit.id()).put("time", AnswerJson.time(commit.timeMillis()));
    json.put("foreign", commit.isForeign());
    json.put("writer", commit.writer()).put("rows", commit.rows());
    EventTimeSketch times = commit.times();
    if (!times.isEmpty()) {
      json.put("streamRows", times.count());
      json.put("min", AnswerJson.time(times.minMillis()));
      json.put("p50", AnswerJson.time(times.quantileMillis(0.5)));
      json.put("max", AnswerJson.time(times.maxMillis()));
    }
    json.put("watermark", AnswerJson.time(commit.watermarkMillis()));
    json.put("hold", commit.hold() == null ? null : commit.hold().toString());
    json.put("lateRows", commit.lateRows());
    late(json, "late", commit.late());
    late(json, "lateForeign", commit.lateForeign());
    return json;
  }

  private static void late(ObjectNode json, String name, LateRows rows) {
    if (rows.total() == 0) {
      return;
    }
    ObjectNode late = json.putObject(name);
    late.put("rows", rows.total()).put("olderRows", rows.olderRows());
    ObjectNode granules = late.putObject("granules");
    rows.granules()
        .asMap()
        .forEach((start, count) -> granules.put(String.valueOf(AnswerJson.time(start)), count));
  }
}

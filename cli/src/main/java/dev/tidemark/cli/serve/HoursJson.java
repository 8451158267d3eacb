package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.answer.Question;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The granules of a table, oldest first, each with its state: {@code final}, {@code open}, {@code
 * reopened} (with {@code lateRows} and {@code revision}), {@code revoked}, {@code unknown}.
 */
final class HoursJson {
  /** How many granules one answer has at most. */
  static final int MAX_GRANULES = 2_000;

  private static final int GRANULES_BY_DEFAULT = 48;

  private HoursJson() {}

  /**
   * The granules of {@code [from, to)}.
   *
   * @param from null for two days of hours up to the newest event
   * @param to null for the granule of the newest event, included
   * @throws ProblemException if these are too many
   */
  static ObjectNode of(TableView view, @Nullable Question from, @Nullable Question to) {
    Opinion opinion = view.finality().opinion();
    Granularity granularity = opinion == null ? Granularity.HOUR : opinion.policy().granularity();
    long end = to == null ? newest(view, granularity) : granularity.ceil(to.startMillis());
    long start =
        from == null
            ? back(end, granularity, opinion == null ? null : opinion.watermark().fromMillis())
            : granularity.floor(from.startMillis());
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", view.table());
    json.put("granularity", granularity.toString());
    json.put("version", view.version());
    ArrayNode hours = json.putArray("hours");
    for (long granule = start; granule < end; granule = granularity.next(granule)) {
      if (hours.size() == MAX_GRANULES) {
        throw ProblemException.invalid(
                "Cannot list the granules from "
                    + Instant.ofEpochMilli(start)
                    + " to "
                    + Instant.ofEpochMilli(end)
                    + ": too many of "
                    + granularity)
            .expected("at most " + MAX_GRANULES);
      }
      hours.add(granule(view, granule, granularity.next(granule)));
    }
    return json;
  }

  /** The end of the granule of the newest event, or of the watermark, whichever is later. */
  private static long newest(TableView view, Granularity granularity) {
    Opinion opinion = view.finality().opinion();
    long newest = Long.MIN_VALUE;
    if (opinion != null && opinion.watermarkMillis() != null) {
      newest = opinion.watermarkMillis() - 1;
    }
    for (CommitFacts point : view.commits()) {
      if (!point.times().isEmpty()) {
        newest = Math.max(newest, point.times().maxMillis());
      }
    }
    return newest == Long.MIN_VALUE ? 0 : granularity.next(newest);
  }

  /** So many granules back, but not further than one before where the opinion begins. */
  private static long back(long end, Granularity granularity, @Nullable Long fromMillis) {
    long start = end;
    for (int i = 0; i < GRANULES_BY_DEFAULT && start > 0; i++) {
      if (fromMillis != null && start < fromMillis) {
        break;
      }
      start = granularity.previous(start);
    }
    return start;
  }

  private static ObjectNode granule(TableView view, long start, long end) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("start", Instant.ofEpochMilli(start).toString());
    json.put("end", Instant.ofEpochMilli(end).toString());
    FinalityAnswer answer = view.finality().answer(start, end, null);
    json.put("state", state(answer));
    if (answer instanceof FinalityAnswer.Ready ready) {
      json.put("revision", ready.revision());
    } else if (answer instanceof FinalityAnswer.LateReopened reopened) {
      json.put("revision", reopened.revision());
      json.put("lateRows", reopened.rows());
    }
    return json;
  }

  private static String state(FinalityAnswer answer) {
    if (answer instanceof FinalityAnswer.Ready) {
      return "final";
    }
    if (answer instanceof FinalityAnswer.NotReady) {
      return "open";
    }
    if (answer instanceof FinalityAnswer.LateReopened) {
      return "reopened";
    }
    return answer instanceof FinalityAnswer.Revoked ? "revoked" : "unknown";
  }
}

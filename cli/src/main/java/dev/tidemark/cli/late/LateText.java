package dev.tidemark.cli.late;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.Counted;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateDataReport.Cause;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The ledger of late rows, said for people and as JSON. */
public final class LateText {
  private LateText() {}

  /**
   * One line per reopened granule, oldest first, and what is no longer kept.
   *
   * @param zone of the hours and days
   */
  public static List<String> lines(LateLedger ledger, ZoneId zone) {
    Granularity granularity = ledger.opinion().policy().granularity();
    List<String> lines = new ArrayList<>();
    lines.add(
        ledger.table()
            + ": final up to "
            + TimeText.instant(ledger.opinion().watermarkMillis())
            + (ledger.granules().isEmpty()
                ? ", nothing was reopened"
                : ", reopened: " + ledger.granules().size()));
    if (ledger.olderRows() > 0) {
      lines.add(
          "  earlier: "
              + rows(ledger.olderRows())
              + ", kept as a sum: which hours and how often is not known any more");
    }
    ledger
        .granules()
        .forEach(
            (start, reopened) ->
                lines.add(
                    "  " + TimeText.granule(start, granularity, zone) + "  " + text(reopened)));
    return lines;
  }

  /** {@code final r0, reopened +37 rows r1, +2 rows r2}. */
  static String text(LateLedger.Reopened reopened) {
    List<String> parts = new ArrayList<>();
    int unknown = reopened.unknownRevisions();
    if (unknown > 0) {
      parts.add(
          rows(reopened.unknownRows())
              + (unknown == 1 ? " r1" : " r1 to r" + unknown)
              + " (by commits that are not kept)");
    }
    for (LateLedger.Revision revision : reopened.known()) {
      String of = revision.cause() == Cause.FOREIGN ? " (at most, by somebody else)" : "";
      String range = revision.count() == 1 ? "" : "r" + revision.first() + " to ";
      parts.add(rows(revision.rows()) + " " + range + "r" + revision.number() + of);
    }
    return "final r0, reopened " + String.join(", ", parts);
  }

  private static String rows(long count) {
    return "+" + Counted.of(count, "row");
  }

  /** table, watermark, granularity, granules with their revisions, olderRows, oldestRead. */
  public static ObjectNode json(LateLedger ledger) {
    Granularity granularity = ledger.opinion().policy().granularity();
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", ledger.table());
    json.put("watermark", AnswerJson.time(ledger.opinion().watermarkMillis()));
    json.put("granularity", granularity.toString());
    ArrayNode granules = json.putArray("granules");
    ledger
        .granules()
        .forEach(
            (start, reopened) -> {
              ObjectNode granule = granules.addObject();
              granule.put("start", AnswerJson.time(start));
              granule.put("end", AnswerJson.time(granularity.next(start)));
              granule.put("rows", reopened.rows()).put("revision", reopened.revision());
              granule.put("unknownRevisions", reopened.unknownRevisions());
              granule.put("unknownRows", reopened.unknownRows());
              ArrayNode revisions = granule.putArray("revisions");
              reopened.known().forEach(revision -> add(revisions, revision));
            });
    json.put("olderRows", ledger.olderRows());
    json.put("oldestRead", AnswerJson.time(ledger.oldestReadMillis()));
    return json;
  }

  private static void add(ArrayNode revisions, LateLedger.Revision revision) {
    revisions
        .addObject()
        .put("firstRevision", revision.first())
        .put("revision", revision.number())
        .put("rows", revision.rows())
        .put("cause", revision.cause().name().toLowerCase(Locale.ROOT))
        .put("commit", revision.commit())
        .put("time", AnswerJson.time(revision.timeMillis()));
  }
}

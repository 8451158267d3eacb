package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import dev.tidemark.quickstart.program.RowComparison;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** What the program says at its end. */
final class Summary {
  private final TableFinality finality;
  private final Opinion opinion;
  private final List<Map<String, String>> commits;

  Summary(TableFinality finality, List<Map<String, String>> commits) {
    this.finality = finality;
    this.opinion = Objects.requireNonNull(finality.opinion(), "the ledger carries no opinion");
    this.commits = commits;
  }

  /** The summary, line by line. */
  List<String> lines(LedgerCheck check) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "ledger      %,d changes in %d commits, folded: %s",
            check.changes(),
            commits.size(),
            check.rows().verdict("MariaDB")));
    check.rows().differences().forEach(difference -> lines.add("            " + difference));
    lines.add(
        "watermark   "
            + opinion.watermark()
            + ", read from the beginning: every event before its end is in");
    lines.add(
        "facts       "
            + bytes("per commit", Summary::isFact)
            + "; opinion "
            + bytes("", Summary::isOpinion)
            + "; coverage "
            + bytes("", key -> key.equals(FinalizationProperties.COVERAGE)));
    lines.addAll(HoursOfTwoDays.lines(finality));
    lines.addAll(lateHours());
    return lines;
  }

  /** The base table, merged by Spark. */
  static List<String> baseLines(
      List<BaseMerge> merges, RowComparison rows, TableFinality finality) {
    List<String> lines = new ArrayList<>();
    BaseMerge last = merges.get(merges.size() - 1);
    lines.add(
        "base table  %d merges by Spark: %s".formatted(merges.size(), rows.verdict("MariaDB")));
    lines.add(
        String.format(
            Locale.ROOT,
            "            and %,d tombstones of rows that were deleted or got another key",
            last.after().rows() - rows.rows()));
    rows.differences().forEach(difference -> lines.add("            " + difference));
    Opinion opinion = finality.opinion();
    lines.add("            watermark " + (opinion == null ? "none" : opinion.watermark()));
    return lines;
  }

  private List<String> lateHours() {
    List<String> lines = new ArrayList<>();
    ReopenedGranules reopened = opinion.reopened();
    long rows = reopened.olderRows();
    for (ReopenedGranules.Reopened granule : reopened.granules().values()) {
      rows += granule.rows();
    }
    lines.add(
        "late        "
            + rows
            + " rows in "
            + reopened.granules().size()
            + " hours after they were final:");
    StringBuilder line = new StringBuilder();
    for (Map.Entry<Long, ReopenedGranules.Reopened> entry : reopened.granules().entrySet()) {
      String item =
          LedgerWatch.time(entry.getKey())
              + " +"
              + entry.getValue().rows()
              + " r"
              + entry.getValue().revision();
      if (line.length() + item.length() > 84) {
        lines.add("            " + line);
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : "   ").append(item);
    }
    if (line.length() > 0) {
      lines.add("            " + line);
    }
    return lines;
  }

  /** How many hours of the two days are final, reopened ones included. */
  long hoursFinal() {
    long from = Instant.parse("2001-01-10T00:00:00Z").toEpochMilli();
    Long watermark = opinion.watermarkMillis();
    long hours = 0;
    for (long hour = from;
        watermark != null && hour < watermark;
        hour = Granularity.HOUR.next(hour)) {
      hours++;
    }
    return hours;
  }

  private String bytes(String label, Predicate<String> keys) {
    LongSummaryStatistics sizes =
        commits.stream()
            .filter(summary -> summary.containsKey(FinalizationProperties.COMMIT_ID))
            .mapToLong(summary -> size(summary, keys))
            .summaryStatistics();
    return String.format(
            Locale.ROOT, "%.0f bytes %s (most %d)", sizes.getAverage(), label, sizes.getMax())
        .replace("  ", " ");
  }

  private static long size(Map<String, String> summary, Predicate<String> keys) {
    return summary.entrySet().stream()
        .filter(entry -> keys.test(entry.getKey()))
        .mapToLong(entry -> entry.getKey().length() + entry.getValue().length())
        .sum();
  }

  private static boolean isFact(String key) {
    return key.startsWith(EventTimeProperties.PREFIX)
        || key.equals(FinalizationProperties.FORMAT)
        || key.equals(FinalizationProperties.WRITER)
        || key.equals(FinalizationProperties.COMMIT_ID)
        || key.equals(FinalizationProperties.LATE);
  }

  private static boolean isOpinion(String key) {
    return key.startsWith(FinalizationProperties.PREFIX)
        && !isFact(key)
        && !key.equals(FinalizationProperties.COVERAGE);
  }
}

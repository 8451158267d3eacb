package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/** Follows the ledger's commits and says what each brought. One thread. */
final class LedgerWatch {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd'T'HH:mm").withZone(ZoneOffset.UTC);

  private final Table table;
  private final Consumer<String> lines;
  private final Set<Long> seen = new HashSet<>();
  private final List<Map<String, String>> summaries = new ArrayList<>();
  private @Nullable Long watermark;

  LedgerWatch(Table table, Consumer<String> lines) {
    this.table = table;
    this.lines = lines;
  }

  /** Reports the commits since the last call. */
  void poll() {
    table.refresh();
    for (Snapshot snapshot : table.snapshots()) {
      if (seen.add(snapshot.snapshotId())) {
        report(snapshot.summary());
      }
    }
  }

  /** Rows in the ledger as of the last poll. */
  long rows() {
    return rows(table);
  }

  /** Rows in a table as its handle knows it. */
  static long rows(Table table) {
    Snapshot head = table.currentSnapshot();
    String total = head == null ? null : head.summary().get(SnapshotSummary.TOTAL_RECORDS_PROP);
    return total == null ? 0 : Long.parseLong(total);
  }

  /** The summaries of all commits, in order. */
  List<Map<String, String>> summaries() {
    return summaries;
  }

  private void report(Map<String, String> summary) {
    summaries.add(summary);
    EventTimeFacts facts = EventTimeProperties.read(summary).orElse(EventTimeFacts.EMPTY);
    Opinion opinion = FinalizationProperties.readOpinion(summary).orElse(null);
    if (opinion == null || !facts.hasStreamRecords()) {
      return;
    }
    EventTimeSketch times = facts.times();
    Long now = opinion.watermarkMillis();
    lines.accept(
        String.format(
            Locale.ROOT,
            "commit %2d  %,6d rows  %s .. %s  %s%s",
            summaries.size() - 1,
            times.count(),
            time(times.minMillis()),
            time(times.maxMillis()),
            watermarkText(now, opinion),
            lateText(FinalizationProperties.readLate(summary))));
    watermark = now;
  }

  private String watermarkText(@Nullable Long now, Opinion opinion) {
    if (now == null || now.equals(watermark)) {
      return "watermark " + (now == null ? "none" : time(now)) + " (" + opinion.hold() + ")";
    }
    return "watermark " + (watermark == null ? "" : time(watermark) + " ") + "-> " + time(now);
  }

  private static String lateText(LateRows late) {
    if (late.total() == 0) {
      return "";
    }
    StringJoiner hours = new StringJoiner(", ", "  LATE ", "");
    late.granules().asMap().forEach((hour, rows) -> hours.add(time(hour) + " +" + rows));
    return hours.toString();
  }

  static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis));
  }
}

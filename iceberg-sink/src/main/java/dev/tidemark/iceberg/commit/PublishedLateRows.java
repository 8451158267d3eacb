package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;

/**
 * The late rows of a commit as its summary keeps them, for listeners that a crash kept from hearing
 * of it. Granules that the summary holds only as a sum are not told apart.
 */
final class PublishedLateRows {
  private PublishedLateRows() {}

  static List<LateDataReport> of(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    List<LateDataReport> reports = new ArrayList<>();
    add(reports, summary, FinalizationProperties.LATE, LateDataReport.Cause.STREAM);
    add(reports, summary, FinalizationProperties.LATE_FOREIGN, LateDataReport.Cause.FOREIGN);
    return reports;
  }

  private static void add(
      List<LateDataReport> reports,
      Map<String, String> summary,
      String key,
      LateDataReport.Cause cause) {
    String text = summary.get(key);
    Long watermark =
        FinalizationProperties.readOpinion(summary).map(Opinion::watermarkMillis).orElse(null);
    if (text != null && watermark != null) {
      reports.add(new LateDataReport(watermark, LateRows.fromText(text).granules(), cause));
    }
  }
}

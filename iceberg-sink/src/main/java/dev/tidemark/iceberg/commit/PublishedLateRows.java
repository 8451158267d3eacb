package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The late rows of a commit as its summary keeps them, for listeners that a crash kept from hearing
 * of it. Granules that the summary holds only as a sum are not told apart.
 */
final class PublishedLateRows {
  private PublishedLateRows() {}

  static List<LateDataReport> of(Table table, long snapshotId) {
    Map<String, String> summary = table.snapshot(snapshotId).summary();
    List<LateDataReport> reports = new ArrayList<>();
    Long watermark = basis(table, snapshotId);
    if (watermark != null) {
      String stream = summary.get(FinalizationProperties.LATE);
      String foreign = summary.get(FinalizationProperties.LATE_FOREIGN);
      add(reports, watermark, stream, LateDataReport.Cause.STREAM);
      add(reports, watermark, foreign, LateDataReport.Cause.FOREIGN);
    }
    return reports;
  }

  private static void add(
      List<LateDataReport> reports,
      long watermark,
      @Nullable String rows,
      LateDataReport.Cause cause) {
    if (rows != null) {
      reports.add(new LateDataReport(watermark, LateRows.fromText(rows).granules(), cause));
    }
  }

  /**
   * The watermark that the commit was based on: that of its newest ancestor with an opinion, or, if
   * all of them expired, its own.
   */
  private static @Nullable Long basis(Table table, long snapshotId) {
    List<Long> newestFirst =
        IcebergHistory.from(table, snapshotId)
            .newestFirst()
            .map(commit -> FinalizationProperties.readOpinion(commit.properties()))
            .flatMap(Optional::stream)
            .limit(2)
            .map(Opinion::watermarkMillis)
            .collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
    return newestFirst.isEmpty() ? null : newestFirst.get(newestFirst.size() - 1);
  }
}

package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The ledger as of one of its snapshots.
 *
 * @param rows how many changes it holds
 * @param watermarkMillis what it said of itself; null if there was no watermark yet
 */
record LedgerPoint(long rows, @Nullable Long watermarkMillis) {
  /** Before its first snapshot. */
  static final LedgerPoint NONE = new LedgerPoint(0, null);

  /** The head of the ledger as its handle knows it. */
  static LedgerPoint head(Table ledger) {
    return of(ledger.currentSnapshot());
  }

  /** A snapshot of the ledger as its handle knows it. */
  static LedgerPoint at(Table ledger, long snapshotId) {
    return of(ledger.snapshot(snapshotId));
  }

  private static LedgerPoint of(@Nullable Snapshot snapshot) {
    if (snapshot == null) {
      return NONE;
    }
    String rows = snapshot.summary().getOrDefault(SnapshotSummary.TOTAL_RECORDS_PROP, "0");
    return new LedgerPoint(
        Long.parseLong(rows),
        FinalizationProperties.readOpinion(snapshot.summary())
            .map(Opinion::watermarkMillis)
            .orElse(null));
  }
}

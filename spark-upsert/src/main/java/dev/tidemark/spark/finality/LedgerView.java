package dev.tidemark.spark.finality;

import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.ForeignAppends;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.TableTruth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * What a ledger said of its completeness at one snapshot, never at a later one. Immutable.
 *
 * @param snapshotId the snapshot
 * @param opinion what stood on its ancestry; null if nothing
 * @param revoked whether the ledger was rolled back behind what it had published
 * @param foreign rows that commits of others brought below the watermark, an upper bound
 */
public record LedgerView(
    long snapshotId, @Nullable Opinion opinion, boolean revoked, ForeignRows foreign) {

  /** The ledger's head as the handle knows it; null if the ledger has no snapshot. */
  public static @Nullable LedgerView atHead(Table ledger) {
    TableTruth truth = TableTruth.read(ledger, SnapshotRef.MAIN_BRANCH);
    Snapshot head = truth.head();
    return head == null
        ? null
        : new LedgerView(
            head.snapshotId(),
            truth.opinion(),
            truth.isRevoked(),
            truth.isRevoked() ? ForeignRows.NONE : ForeignAppends.since(ledger, truth).rows());
  }

  /**
   * The ledger at a snapshot that an earlier merge was pinned to, with what commits of others had
   * brought below its watermark by then; null if it is no longer kept.
   */
  public static @Nullable LedgerView at(Table ledger, long snapshotId) {
    if (ledger.snapshot(snapshotId) == null) {
      return null;
    }
    TableTruth truth = truthAt(ledger, snapshotId);
    ForeignRows foreign = ForeignAppends.since(ledger, truth).rows();
    return new LedgerView(snapshotId, truth.opinion(), false, foreign);
  }

  private static TableTruth truthAt(Table ledger, long snapshotId) {
    IcebergHistory history = IcebergHistory.from(ledger, snapshotId);
    List<Snapshot> foreign = new ArrayList<>();
    for (Snapshot snapshot : history.snapshots().toList()) {
      Opinion opinion = opinionOf(snapshot);
      if (opinion != null) {
        return truth(history, opinion, snapshot, foreign);
      }
      foreign.add(snapshot);
    }
    return truth(history, null, null, foreign);
  }

  private static TableTruth truth(
      IcebergHistory history,
      @Nullable Opinion opinion,
      @Nullable Snapshot carrier,
      List<Snapshot> foreign) {
    return new TableTruth(history.head(), opinion, carrier, foreign, Mirror.of(Map.of()), false);
  }

  private static @Nullable Opinion opinionOf(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return FinalizationProperties.readOpinion(summary == null ? Map.of() : summary).orElse(null);
  }

  /** What it has reopened, with what commits of others brought; nothing without an opinion. */
  public ReopenedGranules reopened() {
    return opinion == null ? ReopenedGranules.NONE : opinion.reopened().plus(foreign);
  }

  /** The same for a base table that holds, from a dump, what was there before the ledger began. */
  public LedgerView bootstrapped() {
    Opinion own = opinion;
    if (own == null) {
      return this;
    }
    FinalizationWatermark whole =
        new FinalizationWatermark(0L, own.watermarkMillis(), own.watermark().evidence());
    Opinion reaching =
        new Opinion(
            whole,
            own.policy(),
            own.hold(),
            own.epoch(),
            own.bootstrapPending(),
            own.writers(),
            own.reopened());
    return new LedgerView(snapshotId, reaching, revoked, foreign);
  }
}

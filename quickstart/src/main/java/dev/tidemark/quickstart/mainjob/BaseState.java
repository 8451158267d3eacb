package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.catalog.FinalityCatalog;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The base table between two merges.
 *
 * @param metadataFile its current metadata version
 * @param operation what made its head, as Iceberg calls it; null before the first commit
 * @param rows how many it holds, tombstones of deleted ones included
 * @param merged the ledger as of the snapshot up to which it is merged
 * @param watermarkMillis what it says of itself; null if there is no watermark yet
 */
record BaseState(
    String metadataFile,
    @Nullable String operation,
    long rows,
    LedgerPoint merged,
    @Nullable Long watermarkMillis) {
  private static final String MERGE_STATE = FinalityCatalog.STATE_PREFIX + "merge";

  /** {@code 1;air.flights_ledger=8123/-/-}, as docs/spec.md has it. */
  private static final Pattern MERGED_UP_TO =
      Pattern.compile(";" + Pattern.quote(LedgerJob.TABLE.toString()) + "=(\\d+)/");

  /** As both tables are now. */
  static BaseState now(Table base, Table ledger) {
    base.refresh();
    ledger.refresh();
    String metadataFile = ((HasTableOperations) base).operations().current().metadataFileLocation();
    Snapshot head = base.currentSnapshot();
    if (head == null) {
      return new BaseState(metadataFile, null, 0, LedgerPoint.NONE, null);
    }
    return new BaseState(
        metadataFile,
        head.operation(),
        LedgerWatch.rows(base),
        merged(head, ledger),
        FinalizationProperties.readOpinion(head.summary())
            .map(Opinion::watermarkMillis)
            .orElse(null));
  }

  private static LedgerPoint merged(Snapshot head, Table ledger) {
    Matcher state = MERGED_UP_TO.matcher(head.summary().getOrDefault(MERGE_STATE, ""));
    return state.find() ? LedgerPoint.at(ledger, Long.parseLong(state.group(1))) : LedgerPoint.NONE;
  }
}

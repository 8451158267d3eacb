package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.iceberg.catalog.JobState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.iceberg.Table;

/**
 * Changes an opinion without data: an empty append that carries it, and the state of jobs that the
 * ancestry carries, compare-and-set.
 */
final class OpinionChange {
  private final Table table;
  private final String branch;
  private final Map<String, String> mirrorExtras;
  private final Retries retries;

  OpinionChange(Table table, String branch, Map<String, String> mirrorExtras) {
    this.table = table;
    this.branch = branch;
    this.mirrorExtras = mirrorExtras;
    this.retries = Retries.of(table.properties());
  }

  /**
   * Applies a change to the truth, unless it is done already.
   *
   * @param policy of the first opinion, where the table has none
   * @return whether a snapshot was made
   */
  boolean apply(PolicyText policy, UnaryOperator<Opinion> change, Predicate<TableTruth> isDone) {
    for (int attempt = 0; ; attempt++) {
      table.refresh();
      TableTruth truth = TableTruth.readForCommit(table, branch);
      if (isDone.test(truth)) {
        return false;
      }
      Opinion current = truth.opinion();
      Opinion base = current == null ? Opinion.initial(policy) : current;
      Opinion changed = change.apply(base);
      boolean mirrors = !truth.rolledBack() || changed.epoch() > base.epoch();
      Opinion carried = mirrors ? changed : changed.whileRolledBack(base);
      Map<String, String> summary = new LinkedHashMap<>(JobState.carried(table, truth.head()));
      summary.putAll(FinalizationProperties.write(carried));
      boolean isReset = truth.rolledBack() && mirrors;
      try {
        new SnapshotTransaction(table, branch, false, null)
            .commit(
                truth,
                TableCommit.Files.none().read(),
                summary,
                mirrors ? carried : null,
                mirrorExtras,
                // They are of a snapshot that is no ancestor; the summary has what counts.
                isReset ? JobState.names(table.properties()) : Set.of());
        table.refresh();
        return true;
      } catch (StaleTableException e) {
        retries.await(attempt, table.name(), e);
      }
    }
  }
}

package dev.tidemark.spark.merge;

import dev.tidemark.spark.table.TableName;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What to merge into what.
 *
 * @param base the base table, in a catalog that carries finality
 * @param ledgers all ledgers of the base table; each run merges each of them, in this order. Their
 *     keys must not overlap: changes of different sources have no common order
 * @param ignored columns of the source that the base table leaves out on purpose
 * @param options what it may do beside
 */
public record MergeRequest(
    TableName base, List<TableName> ledgers, Set<String> ignored, MergeOptions options) {
  public MergeRequest {
    Objects.requireNonNull(base, "base is null");
    ledgers = List.copyOf(ledgers);
    ignored = Set.copyOf(ignored);
    Objects.requireNonNull(options, "options is null");
    if (ledgers.isEmpty()) {
      throw new IllegalArgumentException("Cannot merge into " + base + ": no ledger is named");
    }
    if (ledgers.stream().map(TableName::inCatalog).distinct().count() < ledgers.size()) {
      throw new IllegalArgumentException(
          "Cannot merge into " + base + ": two ledgers have one name (expected: distinct names)");
    }
  }

  /** The ordinary case: one ledger, no column left out. */
  public static MergeRequest of(TableName base, TableName ledger) {
    return new MergeRequest(base, List.of(ledger), Set.of());
  }

  /** With the standard options. */
  public MergeRequest(TableName base, List<TableName> ledgers, Set<String> ignored) {
    this(base, ledgers, ignored, MergeOptions.STANDARD);
  }

  /** The names that the base table knows its ledgers by. */
  List<String> ledgerNames() {
    return ledgers.stream().map(TableName::inCatalog).toList();
  }
}

package dev.tidemark.spark.merge;

import dev.tidemark.spark.maintenance.LedgerCompaction;
import dev.tidemark.spark.table.TableName;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a merge may do beside merging. Immutable.
 *
 * @param staging a table to send increments through whose ledger is bucketed in another way than
 *     the base table, created when first needed; null to join with a shuffle
 * @param truncate what a TRUNCATE of a ledger does
 * @param missingHalf what the INSERT of a changed key does that leaves columns out, while the
 *     DELETE of the old key is not in the ledger
 * @param compaction of the hours of a ledger that the increment touched, before it is merged, where
 *     they hold many small files; null for none
 */
public record MergeOptions(
    @Nullable TableName staging,
    Truncate truncate,
    MissingHalf missingHalf,
    @Nullable LedgerCompaction compaction) {

  /** No staging table, no compaction, TRUNCATE only where there is one ledger. */
  public static final MergeOptions STANDARD =
      new MergeOptions(null, Truncate.OF_THE_ONLY_LEDGER, MissingHalf.FAIL, null);

  /** What a TRUNCATE does. */
  public enum Truncate {
    /**
     * Removes all older rows where the base table never had another ledger, else fails the merge.
     */
    OF_THE_ONLY_LEDGER,
    /**
     * Removes all older rows, whichever ledger brought them, and leaves out what older changes any
     * of them has yet to bring: right only where one server orders the changes of all ledgers.
     */
    APPLY,
    /** Nothing, also when later merges meet it again: rows stay until their DELETE comes. */
    IGNORE
  }

  /** What the INSERT half of a changed key does without the DELETE half. */
  public enum MissingHalf {
    /** Fails the merge, until both are there. */
    FAIL,
    /** Makes the columns null that it leaves out: for a topic that has lost the DELETE. */
    NULL
  }

  public MergeOptions {
    Objects.requireNonNull(truncate, "truncate is null");
    Objects.requireNonNull(missingHalf, "missingHalf is null");
  }

  /** The same through a staging table. */
  public MergeOptions through(@Nullable TableName table) {
    return new MergeOptions(table, truncate, missingHalf, compaction);
  }

  /** The same with another answer to TRUNCATE. */
  public MergeOptions on(Truncate answer) {
    return new MergeOptions(staging, answer, missingHalf, compaction);
  }

  /** The same with compaction before a merge. */
  public MergeOptions after(@Nullable LedgerCompaction first) {
    return new MergeOptions(staging, truncate, missingHalf, first);
  }

  /** The same with another answer to changed keys of which a half is missing. */
  public MergeOptions on(MissingHalf answer) {
    return new MergeOptions(staging, truncate, answer, compaction);
  }
}

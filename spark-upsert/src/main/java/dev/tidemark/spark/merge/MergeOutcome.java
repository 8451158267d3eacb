package dev.tidemark.spark.merge;

import dev.tidemark.finalization.watermark.Opinion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a run of a merge did. */
public sealed interface MergeOutcome {
  /** The base table's opinion after the run; null if it has none. */
  @Nullable Opinion opinion();

  /** What the user should know. */
  List<String> notes();

  /** The base table is where the ledger is: nothing was committed. */
  record NothingNew(@Nullable Opinion opinion, List<String> notes) implements MergeOutcome {
    public NothingNew {
      notes = List.copyOf(notes);
    }
  }

  /**
   * No row was new, and the ledger said more of its completeness or of its history: one commit
   * without files.
   */
  record Idle(long snapshotId, @Nullable Opinion opinion, List<String> notes)
      implements MergeOutcome {
    public Idle {
      notes = List.copyOf(notes);
    }
  }

  /**
   * Changes were merged, in one commit.
   *
   * @param snapshotId the base table's snapshot
   * @param ledgerRows rows that were read of the ledger
   * @param exchanges how many times rows of the ledger or of the base table were sent to other
   *     tasks; 0 where their buckets allow
   * @param shuffledBytes that were written to shuffles, compressed: also names of files that are
   *     looked for, and old rows of changed keys, which are no such exchange
   */
  record Merged(
      long snapshotId,
      long ledgerRows,
      int exchanges,
      long shuffledBytes,
      @Nullable Opinion opinion,
      List<String> notes)
      implements MergeOutcome {
    public Merged {
      notes = List.copyOf(notes);
    }
  }
}

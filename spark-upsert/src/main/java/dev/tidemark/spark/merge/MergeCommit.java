package dev.tidemark.spark.merge;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.catalog.FinalityCatalog;
import dev.tidemark.iceberg.catalog.MovedTableException;
import dev.tidemark.spark.table.MergeState;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.spark.CommitMetadata;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * What one commit of a merge says beside its rows: finality, the state of the merge, and the
 * snapshot that it was decided on. All of it goes into the summary of that very commit, and the
 * catalog repeats finality and state in the properties of the same metadata version.
 *
 * @param basis the base table's head; null if it has none
 */
record MergeCommit(
    @Nullable Long basis, MergeState state, @Nullable Opinion opinion, boolean partialImages) {
  private static final String IMAGES = FinalityCatalog.STATE_PREFIX + "merge-images";
  private static final String PARTIAL = "partial";

  MergeCommit(@Nullable Long basis, MergeState state, @Nullable Opinion opinion) {
    this(basis, state, opinion, false);
  }

  /** Whether a merge before this one met updates that leave columns out: more will come. */
  static boolean hadPartialImages(Table base) {
    return PARTIAL.equals(base.properties().get(IMAGES));
  }

  /** The same, noting that updates leave columns out. */
  MergeCommit withPartialImages() {
    return new MergeCommit(basis, state, opinion, true);
  }

  /** The keys for the summary. */
  Map<String, String> summary() {
    Map<String, String> summary = new HashMap<>();
    summary.putAll(FinalizationProperties.identity("spark-upsert", UUID.randomUUID().toString()));
    if (opinion != null) {
      summary.putAll(FinalizationProperties.write(opinion));
    }
    summary.put(MergeState.KEY, state.toText());
    if (partialImages) {
      summary.put(IMAGES, PARTIAL);
    }
    summary.put(
        FinalityCatalog.BASED_ON, basis == null ? FinalityCatalog.NO_SNAPSHOT : basis.toString());
    return summary;
  }

  /** Runs a statement whose commit carries all this. */
  void with(SparkSession spark, String statement) {
    CommitMetadata.withCommitProperties(
        summary(),
        () -> {
          spark.sql(statement);
          return null;
        },
        RuntimeException.class);
  }

  /** Commits it without a row; returns the snapshot. */
  long alone(Table base) {
    AppendFiles append = base.newAppend();
    summary().forEach(append::set);
    append.commit();
    base.refresh();
    Snapshot head = base.currentSnapshot();
    return head.snapshotId();
  }

  /** Whether a commit failed because the table moved under it, so that it must be decided again. */
  static boolean isStale(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof MovedTableException
          || cause instanceof ValidationException
          || cause instanceof CommitFailedException) {
        return true;
      }
    }
    return false;
  }
}

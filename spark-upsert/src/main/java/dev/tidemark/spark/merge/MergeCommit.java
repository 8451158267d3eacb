package dev.tidemark.spark.merge;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.catalog.FinalityCatalog;
import dev.tidemark.iceberg.catalog.JobState;
import dev.tidemark.iceberg.catalog.MovedTableException;
import dev.tidemark.spark.plan.ShuffledBytes;
import dev.tidemark.spark.table.MergeState;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
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
 * @param id by which the snapshot is known among those of others
 * @param basis the base table's head; null if it has none
 */
record MergeCommit(
    String id,
    @Nullable Long basis,
    MergeState state,
    @Nullable Opinion opinion,
    @Nullable Images images) {
  private static final String IMAGES = FinalityCatalog.STATE_PREFIX + "merge-images";

  /**
   * @param images what is known of them so far; null if nothing is
   */
  MergeCommit(
      @Nullable Long basis, MergeState state, @Nullable Opinion opinion, @Nullable Images images) {
    this(UUID.randomUUID().toString(), basis, state, opinion, images);
  }

  /** Which images the merges before this one have met, and what that means for the next. */
  enum Images {
    /** Each says all: the latest change of a key is enough. */
    WHOLE("whole"),
    /** Updates left columns out: changes are folded until a merge meets no such update. */
    UPDATES("updates"),
    /**
     * Halves of changed keys left columns out: from then on tombstones may hold what an INSERT that
     * has not come yet needs, so it stays.
     */
    HALVES("partial");

    private final String text;

    Images(String text) {
      this.text = text;
    }

    /** What the ancestry of the head carries, else the properties; null where nothing says it. */
    static @Nullable Images knownOf(Table base) {
      String carried = JobState.carried(base, base.currentSnapshot()).get(IMAGES);
      String text = carried == null ? base.properties().get(IMAGES) : carried;
      return text == null ? null : parse(base, text);
    }

    private static Images parse(Table base, String text) {
      for (Images images : values()) {
        if (images.text.equals(text)) {
          return images;
        }
      }
      throw new IllegalStateException(
          "Cannot merge into %s: property %s is \"%s\" (expected: whole, updates or partial). Was it written by a newer version?"
              .formatted(base.name(), IMAGES, text));
    }
  }

  /** The same, noting which images it has met. */
  MergeCommit having(Images met) {
    return new MergeCommit(id, basis, state, opinion, met);
  }

  /** The keys for the summary. */
  Map<String, String> summary() {
    Map<String, String> summary = new HashMap<>();
    summary.putAll(FinalizationProperties.identity("spark-upsert", id));
    if (opinion != null) {
      summary.putAll(FinalizationProperties.write(opinion));
    }
    summary.put(MergeState.KEY, state.toText());
    if (images != null) {
      summary.put(IMAGES, images.text);
    }
    summary.put(
        FinalityCatalog.BASED_ON, basis == null ? FinalityCatalog.NO_SNAPSHOT : basis.toString());
    return summary;
  }

  /** Runs a statement whose commit carries all this; returns the bytes that it shuffled. */
  long with(SparkSession spark, String statement) {
    return CommitMetadata.withCommitProperties(
        summary(), () -> ShuffledBytes.ofCommand(spark.sql(statement)), RuntimeException.class);
  }

  /** Commits it without a row; returns the snapshot. */
  long alone(Table base) {
    AppendFiles append = base.newAppend();
    summary().forEach(append::set);
    append.commit();
    return committed(base).snapshotId();
  }

  /**
   * The snapshot that this commit has made. It need not be the head: somebody may have committed
   * since.
   *
   * @throws IllegalStateException if the history of main does not hold it
   */
  Snapshot committed(Table base) {
    base.refresh();
    return IcebergHistory.of(base, SnapshotRef.MAIN_BRANCH)
        .snapshots()
        .filter(this::isOwn)
        .findFirst()
        .orElseThrow(() -> lost(base));
  }

  private boolean isOwn(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary != null && id.equals(summary.get(FinalizationProperties.COMMIT_ID));
  }

  private IllegalStateException lost(Table base) {
    Long found = null;
    for (Snapshot snapshot : base.snapshots()) {
      found = isOwn(snapshot) ? Long.valueOf(snapshot.snapshotId()) : found;
    }
    Snapshot head = base.currentSnapshot();
    return new IllegalStateException(
        "Cannot find commit %s of a merge in the history of main of %s: the head is %s, the commit %s (expected: the commit, and whatever was committed after it). Somebody rolled main back, or a setting sent the commit elsewhere. No change is lost: main's own state says how far it is merged, and the next merge begins there."
            .formatted(
                id,
                base.name(),
                head == null ? "none" : Long.toString(head.snapshotId()),
                found == null ? "is in no snapshot" : "is snapshot " + found));
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

package dev.tidemark.spark.merge;

import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.TableName;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.CommitMetadata;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;

/**
 * Appends rows to a base table in one commit that carries the state of its merges, and is refused
 * if the table moved meanwhile.
 */
public final class BaseLoad {
  private final Table table;
  private final MergeCommit commit;

  private BaseLoad(Table table, MergeCommit commit) {
    this.table = table;
    this.commit = commit;
  }

  /**
   * A load that leaves the base table's opinion as it is.
   *
   * @param table a handle of the base table as it is now
   * @param after the state once the rows are in
   */
  public static BaseLoad of(Table table, MergeState after) {
    TableTruth truth = TableTruth.read(table, SnapshotRef.MAIN_BRANCH);
    Snapshot head = truth.head();
    return new BaseLoad(
        table,
        new MergeCommit(
            head == null ? null : head.snapshotId(),
            after,
            truth.opinion(),
            MergeCommit.Images.knownOf(table)));
  }

  /** Appends; returns the snapshot. */
  public long append(SparkSession spark, TableName name, Dataset<Row> rows) {
    CommitMetadata.withCommitProperties(
        commit.summary(),
        () -> {
          append(name, rows);
          return null;
        },
        RuntimeException.class);
    return commit.committed(table).snapshotId();
  }

  private static void append(TableName name, Dataset<Row> rows) {
    try {
      rows.writeTo(name.sql()).append();
    } catch (NoSuchTableException e) {
      throw new IllegalArgumentException("Cannot append to " + name + ": it is gone", e);
    }
  }
}

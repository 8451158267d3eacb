package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.TableTruth;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ReplacePartitions;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;

/**
 * One Iceberg transaction: a snapshot with its summary and, where the branch is main and the mirror
 * belongs into the same commit, the properties that show it. Compare-and-set: if the branch head or
 * the mirror moved since the truth was read, nothing is committed and {@link StaleTableException}
 * is thrown. Iceberg's own validator sees ancestors alone, so the properties are read again through
 * the transaction's own table, which is what its retries are applied to.
 */
final class SnapshotTransaction {
  private final Table table;
  private final String branch;
  private final boolean replacePartitions;
  private final @Nullable ExecutorService workers;

  SnapshotTransaction(
      Table table, String branch, boolean replacePartitions, @Nullable ExecutorService workers) {
    this.table = table;
    this.branch = branch;
    this.replacePartitions = replacePartitions;
    this.workers = workers;
  }

  /**
   * Commits on top of a truth.
   *
   * @param opinion shown by the mirror in the same commit; null to leave the properties alone
   * @param mirrorExtras more properties for the mirror
   * @return the new snapshot's id
   */
  long commit(
      TableTruth base,
      WriteResult files,
      Map<String, String> summary,
      @Nullable Opinion opinion,
      Map<String, String> mirrorExtras) {
    return commit(base, files, summary, opinion, mirrorExtras, Set.of());
  }

  /**
   * The same, with properties that go together with the old mirror.
   *
   * @param removed their names
   */
  long commit(
      TableTruth base,
      WriteResult files,
      Map<String, String> summary,
      @Nullable Opinion opinion,
      Map<String, String> mirrorExtras,
      Set<String> removed) {
    Transaction transaction = table.newTransaction();
    SnapshotUpdate<?> update = update(transaction, files);
    summary.forEach(update::set);
    update.toBranch(branch);
    update.validateWith(ancestors -> isUnmoved(transaction.table(), base));
    if (workers != null) {
      update.scanManifestsWith(workers);
    }
    update.commit();
    Snapshot staged = Objects.requireNonNull(transaction.table().snapshot(branch));
    if (opinion != null && branch.equals(SnapshotRef.MAIN_BRANCH)) {
      Mirror next =
          base.mirror()
              .showing(opinion, staged.snapshotId(), staged.timestampMillis())
              .with(mirrorExtras);
      UpdateProperties properties = transaction.updateProperties();
      next.changesFrom(base.mirror()).forEach(properties::set);
      next.removalsFrom(base.mirror()).forEach(properties::remove);
      removed.forEach(properties::remove);
      properties.commit();
    }
    transaction.commitTransaction();
    return staged.snapshotId();
  }

  private boolean isUnmoved(Table current, TableTruth base) {
    Snapshot head = IcebergHistory.beneath(current, branch).head();
    Long headId = head == null ? null : Long.valueOf(head.snapshotId());
    Long baseId = base.head() == null ? null : Long.valueOf(base.head().snapshotId());
    if (!Objects.equals(headId, baseId)) {
      throw new StaleTableException(
          "head of " + branch + " moved from " + baseId + " to " + headId);
    }
    boolean main = branch.equals(SnapshotRef.MAIN_BRANCH);
    if (main && !Mirror.of(current.properties()).equals(base.mirror())) {
      throw new StaleTableException("properties of finalization changed");
    }
    return true;
  }

  private SnapshotUpdate<?> update(Transaction transaction, WriteResult files) {
    if (replacePartitions) {
      ReplacePartitions overwrite = transaction.newReplacePartitions();
      for (DataFile file : files.dataFiles()) {
        overwrite.addFile(file);
      }
      return overwrite;
    }
    if (files.deleteFiles().length == 0) {
      AppendFiles append = transaction.newAppend();
      for (DataFile file : files.dataFiles()) {
        append.appendFile(file);
      }
      return append;
    }
    RowDelta delta = transaction.newRowDelta();
    for (DataFile file : files.dataFiles()) {
      delta.addRows(file);
    }
    for (DeleteFile file : files.deleteFiles()) {
      delta.addDeletes(file);
    }
    return delta;
  }
}

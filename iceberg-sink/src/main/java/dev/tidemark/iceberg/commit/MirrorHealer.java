package dev.tidemark.iceberg.commit;

import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.TableTruth;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;

/**
 * Writes the mirror again where it does not show the truth: after a crash between commit and
 * mirror, or after somebody else's hand. Compare-and-set on the metadata that the truth was read
 * from.
 */
final class MirrorHealer {
  private static final int ATTEMPTS = 5;
  private static final String REST_PACKAGE = "org.apache.iceberg.rest.";

  private MirrorHealer() {}

  /**
   * Whether the store refuses a property update that is based on stale metadata. REST catalogs give
   * such an update no requirement: the last write wins.
   */
  static boolean isPossible(Table table) {
    return table instanceof HasTableOperations operations
        && !operations.operations().getClass().getName().startsWith(REST_PACKAGE);
  }

  /**
   * Heals the mirror of the main branch.
   *
   * @return whether it had to be written
   * @throws CommitFailedException if others keep changing the table
   */
  static boolean heal(Table table) {
    TableOperations operations = ((HasTableOperations) table).operations();
    for (int attempt = 1; ; attempt++) {
      table.refresh();
      TableMetadata base = operations.current();
      TableTruth truth = TableTruth.read(table, SnapshotRef.MAIN_BRANCH);
      if (!truth.isMirrorStale()) {
        return false;
      }
      Mirror healed = truth.healedMirror();
      try {
        operations.commit(
            base,
            TableMetadata.buildFrom(base)
                .setProperties(healed.changesFrom(truth.mirror()))
                .removeProperties(healed.removalsFrom(truth.mirror()))
                .build());
        table.refresh();
        return true;
      } catch (CommitFailedException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}

package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.TableTruth;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;

/**
 * What an administrator may say to a table's opinion. Each call is one empty append,
 * compare-and-set against running writers, which take it over with their next commit. Not
 * thread-safe.
 */
public final class FinalizationAdmin {
  private final Table table;
  private final String branch;

  private FinalizationAdmin(Table table, String branch) {
    this.table = Objects.requireNonNull(table, "table is null");
    this.branch = Objects.requireNonNull(branch, "branch is null");
  }

  /** For the main branch. */
  public static FinalizationAdmin of(Table table) {
    return new FinalizationAdmin(table, SnapshotRef.MAIN_BRANCH);
  }

  /**
   * Takes a writer that will not come back out of the count.
   *
   * @throws IllegalArgumentException if no such writer is registered
   */
  public void retire(String writer) {
    change(opinion -> opinion.retire(writer));
  }

  /**
   * Says that the bootstrap is complete: every event at or after this time is in the table.
   *
   * @param from {@link Instant#EPOCH} if the bootstrap loaded everything
   */
  public void completeBootstrap(Instant from) {
    change(opinion -> opinion.completeBootstrap(from));
  }

  /**
   * Says that a rollback is meant to stay: the opinion on the ancestry counts again, the mirror is
   * set to it, and the epoch is raised above any that was published, so that consumers know.
   */
  public void reset() {
    change(this::reset);
  }

  private Opinion reset(Opinion current) {
    Long published = Mirror.of(table.properties()).epoch();
    Opinion reset = current.reset();
    while (published != null && reset.epoch() <= published) {
      reset = reset.reset();
    }
    return reset;
  }

  private void change(UnaryOperator<Opinion> operation) {
    table.refresh();
    Opinion current = TableTruth.read(table, branch).opinion();
    if (current == null) {
      throw new IllegalStateException(
          "Cannot change the finalization of table "
              + table.name()
              + ": branch "
              + branch
              + " carries no opinion (expected: a table that a Tidemark sink has written)");
    }
    new OpinionChange(table, branch, Map.of()).apply(current.policy(), operation, truth -> false);
  }
}

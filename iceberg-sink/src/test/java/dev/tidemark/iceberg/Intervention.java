package dev.tidemark.iceberg;

import dev.tidemark.iceberg.catalog.DelegatingOperations;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/** What another process does at the last moment: after all checks, before the store commits. */
final class Intervention extends DelegatingOperations {
  private final Deque<Runnable> actions;
  private int commits;

  private Intervention(Table table, Runnable... actions) {
    super(((HasTableOperations) table).operations());
    this.actions = new ArrayDeque<>(Arrays.asList(actions));
  }

  /** A handle whose next commits are each preceded by one of the actions. */
  static Table before(Table table, Runnable... actions) {
    return new BaseTable(new Intervention(table, actions), table.name());
  }

  /** How often a handle made here asked its store to commit. */
  static int commits(Table table) {
    return ((Intervention) ((HasTableOperations) table).operations()).commits;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    commits++;
    Runnable action = actions.poll();
    if (action != null) {
      action.run();
    }
    super.commit(base, metadata);
  }
}

package dev.tidemark.cli.serve;

import dev.tidemark.cli.store.FinalityTable;

/** Where a poller gets its table from. Used by one thread. */
interface TableSource extends AutoCloseable {
  /** The name as it was given. */
  String name();

  /** The table, opened if it is not. */
  FinalityTable table();

  /** Closes; the next {@link #table()} opens anew. */
  @Override
  void close();
}

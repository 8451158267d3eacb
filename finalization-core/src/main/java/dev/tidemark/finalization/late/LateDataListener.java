package dev.tidemark.finalization.late;

import java.io.Serializable;

/**
 * Hears of late rows after the commit that holds them is durable: at least once per commit, on the
 * committing thread. An exception is logged and does not fail the commit, which cannot be undone.
 */
@FunctionalInterface
public interface LateDataListener extends Serializable {
  /**
   * @param table the table's full name
   * @param report which hours were reopened, and by how many rows
   */
  void onLateRecords(String table, LateDataReport report);
}

package dev.tidemark.pinot.flink.sql;

import dev.tidemark.pinot.flink.DeadLetter;
import dev.tidemark.pinot.flink.DeadLetterListener;
import org.apache.flink.table.data.RowData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs rows that were left out: the first few, then fewer and fewer, each with the number so far;
 * the metric counts all. The row itself is not logged, only what its reason says of it.
 */
final class LoggedDeadLetters implements DeadLetterListener<RowData> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(LoggedDeadLetters.class);
  private static final int LOGGED_EACH = 16;

  private final String table;
  private transient long count;

  LoggedDeadLetters(String table) {
    this.table = table;
  }

  @Override
  public void onDeadLetter(DeadLetter<RowData> letter) {
    count++;
    if (count <= LOGGED_EACH || Long.bitCount(count) == 1) {
      LOG.warn(
          "Left out row number {} of this subtask for table {}, which is {}: {}",
          count,
          table,
          letter.kind(),
          letter.reason());
    }
  }
}

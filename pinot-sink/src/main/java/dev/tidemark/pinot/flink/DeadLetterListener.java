package dev.tidemark.pinot.flink;

import java.io.Serializable;

/**
 * Hears of every record that did not become a row. Called on the task thread; what it throws fails
 * the job. After a failure the same record may be reported again.
 */
@FunctionalInterface
public interface DeadLetterListener<T> extends Serializable {
  /** Takes one record. */
  void onDeadLetter(DeadLetter<T> letter) throws Exception;
}

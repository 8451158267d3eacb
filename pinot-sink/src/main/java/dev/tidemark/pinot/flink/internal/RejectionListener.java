package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;

/** Hears of records that did not become rows. Called on the task's thread. */
@FunctionalInterface
public interface RejectionListener<T> extends Serializable {
  /**
   * Takes one record.
   *
   * @param wellFormed whether it was a row, but one that must not go into the table
   */
  void onRejected(T record, boolean wellFormed, String reason) throws Exception;
}

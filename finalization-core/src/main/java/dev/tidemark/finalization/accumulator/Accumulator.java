package dev.tidemark.finalization.accumulator;

/**
 * Counts something over the records of one writer between two checkpoints. Used by one thread.
 *
 * @param <T> the record
 * @param <S> the immutable snapshot
 */
public interface Accumulator<T, S> {
  /**
   * Adds one record that was written. Called once per record on the writer's hot path, after the
   * store's own writer accepted it: a record that failed to be written leaves no trace here. Must
   * not throw on odd values (count them instead) and must not keep a reference to the record, which
   * Flink may reuse.
   */
  void add(T record);

  /** What was added since the last {@link #reset()}; the empty snapshot if nothing was. */
  S snapshot();

  /** Forgets everything, so that the next record is the first of a new snapshot. */
  void reset();
}

package dev.tidemark.finalization.accumulator;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * An accumulator as a sink is given it: created once per writer, its snapshots merged once per
 * commit, the merged snapshot put into the store beside the data. Serializable because a Flink job
 * graph carries it to the writers; no snapshot is ever Java-serialized.
 *
 * @param <T> the record
 * @param <S> the immutable snapshot
 */
public interface AccumulatorFactory<T, S> extends Serializable {
  /** A name that is unique in a sink and stable over restarts: {@code event-time}. */
  String name();

  /** A new, empty accumulator for one writer. */
  Accumulator<T, S> create();

  /** Versioned bytes of a snapshot, for the way to the committer and for checkpoints. */
  SnapshotCodec<S> codec();

  /**
   * Merges the snapshots of all writers, in one call. The same parts in any order give an equal
   * result; an empty list gives the empty snapshot. A different grouping may give a different
   * result where the snapshot is a sketch, within the error that it documents.
   */
  S merge(List<S> parts);

  /**
   * What a store keeps of the merged snapshot. Keys live in a namespace of the accumulator's own;
   * every retained Iceberg snapshot is rewritten in each metadata file, so a few hundred bytes is
   * the budget.
   */
  Map<String, String> properties(S merged);
}

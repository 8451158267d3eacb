package dev.tidemark.finalization.commit;

import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.watermark.Outcome;
import java.util.Optional;

/**
 * What a {@link CommitProcessor} sees of one commit. Valid only during the call; not thread-safe.
 *
 * @param <T> the store's live handle of the table
 */
public interface CommitContext<T> {
  /** The live handle, refreshed for this attempt. Do not commit to it from within a hook. */
  T table();

  /** The checkpoint whose data is committed. */
  long checkpointId();

  /** The commit's id: the same at each attempt and after a restart. */
  CommitId commitId();

  /** The commits that this one is based on, newest first. */
  CommitHistory recentCommits();

  /**
   * The merged snapshot of one of the sink's accumulators.
   *
   * @return empty if the committable carries none: it was written by a sink without the accumulator
   */
  <S> Optional<S> accumulated(AccumulatorFactory<?, S> factory);

  /** What finalization decided for this attempt; empty if the sink has no finalization. */
  Optional<Outcome> finalization();

  /**
   * Adds a property to the commit, before it is made.
   *
   * @throws IllegalStateException after the commit
   * @throws IllegalArgumentException if the key belongs to the sink: {@code finalization.*} and the
   *     keys of the engine's own recovery
   */
  void putProperty(String key, String value);
}

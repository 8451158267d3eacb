package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.commit.SegmentPublisher;
import java.io.Serializable;

/** Makes the publisher where it is needed: in the committer, not on the client. */
@FunctionalInterface
public interface PublisherFactory extends Serializable {
  /** A new publisher, not started yet. */
  SegmentPublisher create();

  /**
   * Called when subtasks that each commit for themselves are restored.
   *
   * @throws IllegalArgumentException if a part of the run that none of them goes on with has
   *     published rows that will come again
   */
  default void checkNoneLeftBehind(RestoredParts parts) {}
}

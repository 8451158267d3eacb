package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.commit.SegmentPublisher;
import java.io.Serializable;

/** Makes the publisher where it is needed: in the committer, not on the client. */
@FunctionalInterface
public interface PublisherFactory extends Serializable {
  /** A new publisher, not started yet. */
  SegmentPublisher create();
}

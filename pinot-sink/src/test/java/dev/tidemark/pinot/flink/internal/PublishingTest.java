package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.commit.PublishResult;
import dev.tidemark.pinot.commit.SegmentPublisher;
import dev.tidemark.pinot.segment.Run;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.Test;

class PublishingTest {
  private static final PinotCommit COMMIT =
      new PinotCommit(
          CommitId.random(),
          new Run("load", 1, 0),
          1,
          new PinotCommit.Delivery(false, false),
          List.of(),
          Map.of());

  /** Such as a segment across the edge of the window that is replaced, or labels too long. */
  @Test
  void whatNoRestartChangesIsNotTriedAgain() {
    SegmentPublisher refuses =
        new SegmentPublisher() {
          @Override
          public void start() {}

          @Override
          public PublishResult publish(PinotCommit commit) {
            throw new IllegalArgumentException("reaches out of the window");
          }

          @Override
          public void close() {}
        };
    try (Publishing publishing = new Publishing(refuses, 3, new UnregisteredMetricsGroup())) {
      assertThatThrownBy(() -> publishing.publish(COMMIT))
          .isInstanceOf(SuppressRestartsException.class)
          .hasRootCauseMessage("reaches out of the window");
    }
  }
}

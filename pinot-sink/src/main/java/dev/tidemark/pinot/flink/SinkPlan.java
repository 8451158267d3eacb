package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.flink.internal.PublisherFactory;
import dev.tidemark.pinot.flink.internal.Submission;
import dev.tidemark.pinot.flink.internal.WriterPlan;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import java.io.Serializable;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * All that the builder gathered, for either sink.
 *
 * @param writer what a writer does
 * @param converter makes rows, to partition by
 * @param partitioning of the stream; null where records are not spread by it
 * @param commits when and where commits go
 * @param naming of the run
 */
record SinkPlan<T>(
    WriterPlan<T> writer,
    PinotGenericRowConverter<T> converter,
    @Nullable PinotPartitioning partitioning,
    Commits commits,
    RunNaming naming)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * @param publishers makes the publisher
   * @param maxAborts how often a hook may refuse one commit
   * @param timing which checkpoints are commits
   */
  record Commits(PublisherFactory publishers, int maxAborts, CommitTiming timing)
      implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /**
   * @param runId null to make one up
   * @param startMillis null for the time of the submission
   */
  record RunNaming(@Nullable String runId, @Nullable Long startMillis) implements Serializable {
    private static final long serialVersionUID = 1L;

    Submission submission() {
      return Submission.now(Clock.systemUTC(), runId, startMillis);
    }
  }
}

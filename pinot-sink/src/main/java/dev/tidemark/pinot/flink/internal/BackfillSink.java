package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.util.Collection;
import java.util.OptionalLong;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.jspecify.annotations.Nullable;

/**
 * The operators of {@code PinotSink}, put together.
 *
 * <pre>{@code
 * records -> writer 1..n -> aggregator (1) -> committer (subtask 0)
 * }</pre>
 *
 * @param plan what a writer does
 * @param publishers makes the publisher
 * @param maxAborts how often a hook may refuse one commit
 * @param cadence which checkpoints are commits
 * @param submission the run
 */
public record BackfillSink<T>(
    WriterPlan<T> plan,
    PublisherFactory publishers,
    int maxAborts,
    CommitCadence cadence,
    Submission submission)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** A writer of one subtask, with what earlier ones left. */
  public StatefulSinkWriter<T, WriterState> writer(
      WriterInitContext context, Collection<WriterState> kept) throws IOException {
    Run keptRun = kept.stream().map(WriterState::run).findFirst().orElse(null);
    WriterContext writerContext =
        new WriterContext(
            run(keptRun, context),
            context.getTaskInfo(),
            Clock.systemUTC(),
            WriterMetrics.of(context.metricGroup()));
    BackfillWriter<T> writer = new BackfillWriter<>(plan, writerContext);
    try {
      writer.restore(kept);
    } catch (InterruptedException e) {
      writer.close();
      Thread.currentThread().interrupt();
      throw new IOException("Cannot restore the writer: interrupted", e);
    } catch (RuntimeException e) {
      writer.close();
      throw e;
    }
    return new BackfillSinkWriter<>(writer, cadence, context.getRestoredCheckpointId().orElse(0));
  }

  private Run run(@Nullable Run kept, WriterInitContext context) {
    OptionalLong restored = context.getRestoredCheckpointId();
    return plan.segments().table().table().type() == PinotTable.Type.REALTIME
        ? submission.resumedUnlikeEarlierAttempts(
            kept, restored, context.getTaskInfo().getAttemptNumber())
        : submission.resumed(kept, restored);
  }

  /** Adds the aggregator. */
  public DataStream<CommittableMessage<SinkCommittable>> preCommit(
      DataStream<CommittableMessage<WriterResult>> results) {
    return results
        .global()
        .transform(
            "Pinot commit aggregator",
            CommittableMessageTypeInfo.of(SinkCommittableSerializer::new),
            new CommitAggregator(plan.accumulators(), submission))
        .setParallelism(1)
        .setMaxParallelism(1)
        // Every commit goes to the committer's first subtask, the only one that publishes.
        .global();
  }

  /** A committer of one subtask. */
  public Committer<SinkCommittable> committer(CommitterInitContext context) {
    return new SinkCommitter(
        new Publishing(publishers.create(), maxAborts, context.metricGroup()), context);
  }

  /** The bytes of a writer's state. */
  public SimpleVersionedSerializer<WriterState> stateSerializer() {
    return new WriterStateSerializer(plan.segments().table());
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.pinot.segment.BuiltSegment;
import dev.tidemark.pinot.segment.SegmentBuilder;
import dev.tidemark.pinot.segment.SegmentIdentity;
import dev.tidemark.pinot.segment.SegmentRows;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.FileUtils;

/**
 * Turns closed buffers into staged segments: names them on the task's thread, builds and stages
 * them in a {@link BuildPool}.
 */
final class SegmentStation<T> implements AutoCloseable {
  private final SegmentPlan plan;
  private final Accumulators<T> accumulators;
  private final WriterContext context;
  private final SegmentBuilder builder;
  private final StagingArea staging;
  private final Path workDirectory;
  private final BuildPool pool;
  private long built;

  SegmentStation(SegmentPlan plan, Accumulators<T> accumulators, WriterContext context)
      throws IOException {
    this.plan = plan;
    this.accumulators = accumulators;
    this.context = context;
    int subtask = context.task().getIndexOfThisSubtask();
    this.builder = new SegmentBuilder(plan.form().compression());
    this.staging =
        StagingArea.of(plan.staging(), context.run(), subtask, context.task().getAttemptNumber());
    this.workDirectory = Files.createTempDirectory("tidemark-pinot-");
    this.pool =
        new BuildPool(plan.builds(), "pinot-builder-" + plan.table().table() + "-" + subtask);
  }

  /** Has a buffer built; waits while as many builds as allowed are in flight. */
  Future<StagedBuild> build(OpenSegment<T> closed) throws InterruptedException {
    SegmentNaming.Numbers numbers =
        new SegmentNaming.Numbers(
            context.run(),
            context.task().getIndexOfThisSubtask(),
            built++,
            closed.partition(),
            closed.openedAt());
    SegmentRows rows = closed.rows();
    List<Map<String, byte[]>> facts = closed.facts();
    return pool.submit(() -> buildAndStage(numbers, rows, facts));
  }

  int inFlight() {
    return pool.inFlight();
  }

  @Override
  public void close() throws IOException {
    pool.close();
    FileUtils.deleteDirectory(workDirectory.toFile());
  }

  private StagedBuild buildAndStage(
      SegmentNaming.Numbers numbers, SegmentRows rows, List<Map<String, byte[]>> facts)
      throws IOException {
    long start = System.nanoTime();
    SegmentIdentity identity =
        plan.form().naming().identity(numbers, accumulators.properties(accumulators.merge(facts)));
    BuiltSegment segment = builder.build(rows, identity, workDirectory);
    try {
      StagedSegment staged =
          new StagedSegment(
              segment.name(),
              segment.crc(),
              staging.stage(segment),
              numbers.partition(),
              segment.rows(),
              identity.creationTimeMillis(),
              segment.times());
      return new StagedBuild(
          staged, facts, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    } finally {
      Files.deleteIfExists(segment.tar());
      Files.deleteIfExists(segment.metadataTar());
    }
  }
}

package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.pinot.segment.RejectedRowException;
import dev.tidemark.pinot.segment.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The part that both sinks share: rows in, staged segments out. One buffer is open for each
 * partition, or one alone on a table without partitions. A full buffer is built and staged off the
 * task's thread while the next one fills; {@link #closeAll} ends them all, at a commit. Between
 * commits {@link #snapshot} keeps what is open, row by row, and what is staged, by reference.
 *
 * <p>Used by the task's thread. Publishes nothing, and {@link #close} least of all.
 */
final class BackfillWriter<T> implements AutoCloseable {
  private static final int ROWS_BETWEEN_LOOKS = 64;
  private static final int SMALL_FRACTION = 10;

  private final RowIntake<T> intake;
  private final Thresholds thresholds;
  private final WriterPlan<T> plan;
  private final WriterContext context;
  private final SegmentStation<T> station;
  private final Map<@Nullable Integer, OpenSegment<T>> open = new HashMap<>();
  private final List<PendingBuild<T>> pending = new ArrayList<>();
  private final List<WriterState.Staged> staged = new ArrayList<>();
  private long nextOpening;
  private int rowsSinceLook;

  /** A buffer that is being built; its rows are in the state until it is staged. */
  private record PendingBuild<T>(OpenSegment<T> closed, Future<StagedBuild> build) {}

  BackfillWriter(WriterPlan<T> plan, WriterContext context) throws IOException {
    this.plan = plan;
    this.context = context;
    this.thresholds = plan.segments().thresholds();
    this.intake = plan.intake();
    intake.open(context.task(), context.metrics());
    this.station = new SegmentStation<>(plan.segments(), plan.accumulators(), context);
    context.metrics().holds(open::size, station::inFlight, staged::size);
  }

  /**
   * Takes over what writers before this one left. Rows of a partition that this subtask no longer
   * owns become a segment of that partition all the same.
   */
  void restore(Collection<WriterState> states) throws InterruptedException {
    List<WriterState.OpenRows> rows = new ArrayList<>();
    for (WriterState state : states) {
      nextOpening = Math.max(nextOpening, state.nextOpening());
      if (state.content() instanceof WriterState.Staged segment) {
        staged.add(segment);
      } else if (state.content() instanceof WriterState.OpenRows buffer) {
        rows.add(buffer);
      }
    }
    rows.sort(Comparator.comparingLong(WriterState.OpenRows::openedAt));
    for (WriterState.OpenRows buffer : rows) {
      nextOpening = Math.max(nextOpening, buffer.openedAt() + 1);
      // The newest of a partition stays open; an older one was full already.
      OpenSegment<T> older =
          open.put(buffer.partition(), OpenSegment.restored(buffer, plan.accumulators()));
      if (older != null) {
        build(older);
      }
    }
  }

  /** Takes one record; waits while as many builds as allowed are in flight. */
  void write(T record) throws IOException, InterruptedException {
    RowIntake.Taken taken = intake.take(record);
    if (taken == null) {
      return;
    }
    OpenSegment<T> segment = open.get(taken.partition());
    if (segment == null) {
      segment = openFor(taken.partition());
    }
    try {
      if (segment.add(record, taken) == 0) {
        context.metrics().filtered();
      }
    } catch (RejectedRowException e) {
      intake.reject(record, e);
    }
    rotateIfFull(segment);
  }

  /** The run that its segments are of. */
  Run run() {
    return context.run();
  }

  /** Closes every buffer that is too old; called with each checkpoint. */
  void closeOld() throws IOException, InterruptedException {
    collectStaged(false);
    long oldest = now() - thresholds.age().toMillis();
    for (OpenSegment<T> segment : List.copyOf(open.values())) {
      if (segment.openedAt() <= oldest) {
        rotate(segment);
      }
    }
  }

  /**
   * Closes all buffers, waits for every build, and hands over all that was not handed over before.
   *
   * @param ended whether the input has ended
   */
  WriterResult closeAll(boolean ended) throws IOException, InterruptedException {
    intake.beforeHandover();
    for (OpenSegment<T> segment : List.copyOf(open.values())) {
      rotate(segment);
    }
    collectStaged(true);
    WriterResult result =
        new WriterResult(
            context.run(),
            ended,
            staged.stream().map(WriterState.Staged::segment).toList(),
            staged.stream().flatMap(segment -> segment.facts().stream()).toList());
    staged.clear();
    return result;
  }

  /**
   * Everything that was not handed over. There are at least so many entries that one falls to each
   * writer of a restored job, whatever its parallelism: each must learn the run.
   *
   * @param run as the state is to have it
   */
  List<WriterState> snapshot(Run run) throws IOException, InterruptedException {
    collectStaged(false);
    List<WriterState> states = new ArrayList<>();
    open.values().forEach(segment -> states.add(state(run, segment.state())));
    pending.forEach(build -> states.add(state(run, build.closed().state())));
    staged.forEach(segment -> states.add(state(run, segment)));
    int writers = context.task().getNumberOfParallelSubtasks();
    int wanted = (context.task().getMaxNumberOfParallelSubtasks() + writers - 1) / writers;
    while (states.size() < wanted) {
      states.add(state(run, null));
    }
    return states;
  }

  @Override
  public void close() throws IOException {
    station.close();
  }

  private WriterState state(Run run, WriterState.@Nullable Content content) {
    return new WriterState(run, nextOpening, content);
  }

  private OpenSegment<T> openFor(@Nullable Integer partition) {
    long openedAt = Math.max(nextOpening, now());
    nextOpening = openedAt + 1;
    Accumulators<T> accumulators = plan.accumulators();
    OpenSegment<T> segment =
        OpenSegment.empty(partition, openedAt, plan.segments().table().newRows(), accumulators);
    open.put(partition, segment);
    return segment;
  }

  private void rotateIfFull(OpenSegment<T> segment) throws IOException, InterruptedException {
    boolean looks = ++rowsSinceLook >= ROWS_BETWEEN_LOOKS;
    if (segment.rows().rows() >= thresholds.rows()
        || (looks && segment.rows().sizeBytes() >= thresholds.bytes())) {
      rotate(segment);
    }
    if (looks) {
      rowsSinceLook = 0;
      rotateLargestIfOverfull();
    }
  }

  private void rotateLargestIfOverfull() throws IOException, InterruptedException {
    if (open.size() < 2) {
      return;
    }
    long all = open.values().stream().mapToLong(segment -> segment.rows().sizeBytes()).sum();
    if (all >= thresholds.writerBytes()) {
      Comparator<OpenSegment<T>> bySize = Comparator.comparingLong(s -> s.rows().sizeBytes());
      rotate(open.values().stream().max(bySize).orElseThrow());
    }
  }

  private void rotate(OpenSegment<T> segment) throws IOException, InterruptedException {
    open.remove(segment.partition(), segment);
    if (segment.rows().rows() > 0) {
      collectStaged(false);
      build(segment);
    }
  }

  private void build(OpenSegment<T> closed) throws InterruptedException {
    pending.add(new PendingBuild<>(closed, station.build(closed)));
  }

  /** Takes what was built; a build that failed fails the writer. */
  private void collectStaged(boolean wait) throws IOException, InterruptedException {
    for (PendingBuild<T> build : List.copyOf(pending)) {
      if (wait || build.build().isDone()) {
        StagedBuild done = BuildPool.await(build.build());
        pending.remove(build);
        staged.add(new WriterState.Staged(done.segment(), done.facts()));
        boolean small = done.segment().rows() < thresholds.rows() / SMALL_FRACTION;
        context.metrics().staged(done, small);
      }
    }
  }

  private long now() {
    return Math.max(
        0, Objects.requireNonNull(context.clock()).millis() - context.run().startMillis());
  }
}

package dev.tidemark.iceberg;

import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.commit.CommitPlan;
import dev.tidemark.iceberg.commit.CommitResult;
import dev.tidemark.iceberg.commit.TableCommit;
import dev.tidemark.iceberg.commit.TableCommitter;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;

/** A writer as a job would be one, without the job: counts event times and commits them. */
public final class EventWriter {
  /** What a table keeps of the event-time column. */
  public static final Map<String, String> COLUMN =
      Map.of(Mirror.EVENT_TIME_FIELD_ID, "2", Mirror.EVENT_TIME_TYPE, "timestamptz");

  private final Table table;
  private final Accumulators<Long> accumulators;
  private final TableCommitter committer;
  private long checkpoint;

  private EventWriter(
      Table table, FinalizationConfig config, UnaryOperator<CommitPlan.Builder> more) {
    this.table = table;
    this.accumulators =
        new Accumulators<>(
            List.of(
                new EventTimeAccumulatorFactory<Long>(
                    time -> time, config.granularity(), EventTimeBounds.DEFAULT)));
    CommitPlan.Builder plan =
        CommitPlan.builder()
            .accumulators(accumulators)
            .finalization(config)
            .eventTimeColumn(COLUMN);
    this.committer = new TableCommitter(table, more.apply(plan).build(), Clock.systemUTC(), null);
  }

  /**
   * A window of one commit, the source read from its beginning: W follows each commit's minimum.
   */
  public static FinalizationConfig.Builder config(String writer) {
    return FinalizationConfig.forWriter(writer).lookback(1, Duration.ZERO).readFromBeginning();
  }

  /** A writer that has registered. */
  public static EventWriter start(Table table, String name) {
    return start(table, config(name).build());
  }

  /** A writer that has registered. */
  public static EventWriter start(Table table, FinalizationConfig config) {
    return start(table, config, plan -> plan);
  }

  /** A writer that has registered, with a plan of its own. */
  public static EventWriter start(
      Table table, FinalizationConfig config, UnaryOperator<CommitPlan.Builder> plan) {
    EventWriter writer = unregistered(table, config, plan);
    writer.committer.start();
    return writer;
  }

  /** A writer that has not registered. */
  public static EventWriter unregistered(
      Table table, FinalizationConfig config, UnaryOperator<CommitPlan.Builder> plan) {
    return new EventWriter(table, config, plan);
  }

  /** Registers, as a job does when it starts. */
  public void register() {
    committer.start();
  }

  /** Commits one file with rows of these times of the day. */
  public CommitResult.Committed write(String... times) {
    return (CommitResult.Committed) commit(checkpoint(times));
  }

  /** Commits one file with rows of these event times. */
  public CommitResult.Committed write(List<Long> times) {
    return (CommitResult.Committed)
        commit(checkpoint(times, TestFiles.of(table, times), null, false));
  }

  /** Commits a checkpoint with rows of these times and what the source reported. */
  public CommitResult report(Coverage coverage, String... times) {
    List<Long> millis = Arrays.stream(times).map(TestFiles::at).toList();
    DataFile file = times.length == 0 ? null : TestFiles.of(table, millis);
    return commit(checkpoint(millis, file, coverage, false));
  }

  /** Commits a checkpoint without rows. */
  public CommitResult writeNothing(boolean evenIfEmpty) {
    return commit(checkpoint(List.of(), null, null, false), evenIfEmpty);
  }

  /** The end of an input that was declared complete. */
  public CommitResult end() {
    return commit(checkpoint(List.of(), null, null, true));
  }

  public CommitResult commit(TableCommit commit) {
    return commit(commit, false);
  }

  public CommitResult commit(TableCommit commit, boolean evenIfEmpty) {
    try {
      return committer.commit(commit, evenIfEmpty);
    } catch (CommitAbortedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The next checkpoint: one file with rows of these times of the day. */
  public TableCommit checkpoint(String... times) {
    List<Long> millis = Arrays.stream(times).map(TestFiles::at).toList();
    return checkpoint(millis, TestFiles.of(table, millis), null, false);
  }

  /** The same checkpoint, delivered once more after a restart. */
  public static TableCommit redelivered(TableCommit commit) {
    TableCommit.Identity id = commit.identity();
    return new TableCommit(
        new TableCommit.Identity(id.id(), id.checkpointId(), id.createdAtMillis(), true),
        commit.files(),
        commit.counted(),
        commit.engineProperties());
  }

  /** The next checkpoint. */
  public TableCommit checkpoint(
      List<Long> times, @Nullable DataFile file, @Nullable Coverage coverage, boolean ended) {
    AccumulatorSet<Long> counting = accumulators.create();
    times.forEach(counting::add);
    WriteResult.Builder files = WriteResult.builder();
    if (file != null) {
      files.addDataFiles(file);
    }
    return new TableCommit(
        new TableCommit.Identity(
            CommitId.random(), ++checkpoint, System.currentTimeMillis(), false),
        TableCommit.Files.of(files.build()),
        new TableCommit.Counted(accumulators.merge(List.of(counting.drain())), coverage, ended),
        Map.of());
  }
}

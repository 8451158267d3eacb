package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.flink.FinalizationMetrics;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.commit.CommitPlan;
import dev.tidemark.iceberg.commit.CommitResult;
import dev.tidemark.iceberg.commit.TableCommit;
import dev.tidemark.iceberg.commit.TableCommitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.CommitSummary;
import org.apache.iceberg.flink.sink.FlinkManifestUtil;
import org.apache.iceberg.flink.sink.IcebergFilesCommitterMetrics;
import org.apache.iceberg.flink.sink.SinkUtil;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.iceberg.util.ThreadPools;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Flink side of committing: one commit per committable, oldest checkpoint first; empty
 * checkpoints skipped but for every tenth, as the stock sink does, or where the opinion is news.
 * Any failure but a hook's refusal is thrown, so that Flink restores and delivers the same
 * committables again; never is one dropped.
 */
final class SinkCommitter implements Committer<SinkCommittable> {
  private static final Logger LOG = LoggerFactory.getLogger(SinkCommitter.class);
  private static final String MAX_EMPTY_COMMITS = "flink.max-continuous-empty-commits";
  private static final int MAX_EMPTY_COMMITS_DEFAULT = 10;
  private static final long FIRST_BACK_OFF_MILLIS = 100;
  private static final long LONGEST_BACK_OFF_MILLIS = 5_000;

  private final TableLoader tableLoader;
  private final CommitPlan plan;
  private final int maxAborts;
  private final Table table;
  private final ExecutorService workers;
  private final TableCommitter committer;
  private final IcebergFilesCommitterMetrics metrics;
  private final FinalizationMetrics finalizationMetrics;
  private final OptionalLong restoredCheckpoint;
  private final boolean isRestarted;
  private final int maxEmptyCommits;
  private int emptyCheckpoints;
  private int abortsInARow;

  SinkCommitter(
      TableLoader tableLoader,
      CommitPlan plan,
      int workerPoolSize,
      int maxAborts,
      CommitterInitContext context) {
    this.tableLoader = tableLoader;
    this.plan = plan;
    this.maxAborts = maxAborts;
    if (!tableLoader.isOpen()) {
      tableLoader.open();
    }
    this.table = tableLoader.loadTable();
    this.workers =
        ThreadPools.newFixedThreadPool("tidemark-committer-" + table.name(), workerPoolSize);
    this.committer = new TableCommitter(table, plan, Clock.systemUTC(), workers);
    this.metrics = new IcebergFilesCommitterMetrics(context.metricGroup(), table.name());
    this.finalizationMetrics = new FinalizationMetrics(context.metricGroup(), Clock.systemUTC());
    this.restoredCheckpoint = context.getRestoredCheckpointId();
    this.isRestarted = context.getTaskInfo().getAttemptNumber() > 0;
    this.maxEmptyCommits =
        PropertyUtil.propertyAsInt(
            table.properties(), MAX_EMPTY_COMMITS, MAX_EMPTY_COMMITS_DEFAULT);
    if (maxEmptyCommits < 1) {
      throw new IllegalArgumentException(
          "Invalid " + MAX_EMPTY_COMMITS + ": " + maxEmptyCommits + " (expected: at least 1)");
    }
    if (context.getTaskInfo().getIndexOfThisSubtask() == 0) {
      committer.start();
    }
  }

  @Override
  public void commit(Collection<CommitRequest<SinkCommittable>> requests)
      throws IOException, InterruptedException {
    List<CommitRequest<SinkCommittable>> ordered =
        requests.stream()
            .sorted(Comparator.comparingLong(request -> request.getCommittable().checkpointId()))
            .toList();
    for (CommitRequest<SinkCommittable> request : ordered) {
      if (!commit(request)) {
        // Later checkpoints wait for the refused one: order is part of the promise.
        ordered.subList(ordered.indexOf(request) + 1, ordered.size()).forEach(this::postpone);
        return;
      }
    }
  }

  @Override
  public void close() throws Exception {
    tableLoader.close();
    workers.shutdown();
  }

  private void postpone(CommitRequest<SinkCommittable> request) {
    request.retryLater();
  }

  private boolean commit(CommitRequest<SinkCommittable> request)
      throws IOException, InterruptedException {
    SinkCommittable committable = request.getCommittable();
    if (mayBeCommitted(committable) && isCommittedByStockSink(committable)) {
      request.signalAlreadyCommitted();
      return true;
    }
    StoredFiles files = new StoredFiles(table, committable.manifests());
    boolean evenIfEmpty = files.isEmpty() && (emptyCheckpoints + 1) % maxEmptyCommits == 0;
    long start = System.nanoTime();
    try {
      CommitResult result = committer.commit(tableCommit(request, files), evenIfEmpty);
      abortsInARow = 0;
      settle(request, result, files, System.nanoTime() - start);
      return true;
    } catch (CommitAbortedException e) {
      refuse(request, e);
      return false;
    }
  }

  private void settle(
      CommitRequest<SinkCommittable> request, CommitResult result, StoredFiles files, long nanos)
      throws IOException {
    SinkCommittable committable = request.getCommittable();
    emptyCheckpoints = result instanceof CommitResult.Skipped ? emptyCheckpoints + 1 : 0;
    if (result instanceof CommitResult.AlreadyCommitted) {
      request.signalAlreadyCommitted();
    } else if (result instanceof CommitResult.Committed committed) {
      finalizationMetrics.committed(committed.outcome());
      metrics.commitDuration(TimeUnit.NANOSECONDS.toMillis(nanos));
      metrics.updateCommitSummary(
          new CommitSummary(new TreeMap<>(Map.of(committable.checkpointId(), files.read()))));
      List<ManifestFile> manifests = files.manifests();
      FlinkManifestUtil.deleteCommittedManifests(
          table, manifests, committable.jobId(), committable.checkpointId());
    }
  }

  /** Waits, and has Flink deliver the committable again; at the limit the job fails for good. */
  private void refuse(CommitRequest<SinkCommittable> request, CommitAbortedException reason)
      throws InterruptedException {
    int aborts = ++abortsInARow;
    if (aborts >= maxAborts) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "Cannot commit "
                  + request.getCommittable()
                  + " to table "
                  + table.name()
                  + ": a pre-commit hook refused it "
                  + aborts
                  + " times, the last time because: "
                  + reason.getMessage()
                  + ". Nothing of it was committed; mend the cause and restart from the latest checkpoint.",
              reason));
    }
    LOG.warn(
        "A pre-commit hook refused {} for table {} ({} of {}): {}",
        request.getCommittable(),
        table.name(),
        aborts,
        maxAborts,
        reason.getMessage());
    TimeUnit.MILLISECONDS.sleep(
        Math.min(LONGEST_BACK_OFF_MILLIS, FIRST_BACK_OFF_MILLIS << Math.min(aborts - 1, 10)));
    request.retryLater();
  }

  private TableCommit tableCommit(CommitRequest<SinkCommittable> request, StoredFiles files) {
    SinkCommittable committable = request.getCommittable();
    SinkCommittable.Trailer trailer = committable.trailer();
    Map<String, String> recoveryKeys =
        Map.of(
            SinkUtil.FLINK_JOB_ID, committable.jobId(),
            SinkUtil.OPERATOR_ID, committable.operatorId(),
            SinkUtil.MAX_COMMITTED_CHECKPOINT_ID, Long.toString(committable.checkpointId()));
    if (trailer == null) {
      return new TableCommit(
          new TableCommit.Identity(
              stockId(committable), committable.checkpointId(), System.currentTimeMillis(), false),
          files,
          new TableCommit.Counted(Map.of(), null, false),
          recoveryKeys);
    }
    return new TableCommit(
        new TableCommit.Identity(
            trailer.id(),
            committable.checkpointId(),
            trailer.createdAtMillis(),
            mayBeCommitted(committable)),
        files,
        new TableCommit.Counted(trailer.accumulated(), trailer.coverage(), trailer.inputEnded()),
        recoveryKeys);
  }

  /** Restored from state; or, with nothing restored, made again by a job that failed before. */
  private boolean mayBeCommitted(SinkCommittable committable) {
    return restoredCheckpoint.isPresent()
        ? committable.checkpointId() <= restoredCheckpoint.getAsLong()
        : isRestarted;
  }

  /** An id for a committable of the stock sink: always the same for the same checkpoint. */
  private static CommitId stockId(SinkCommittable committable) {
    String name =
        committable.jobId() + "/" + committable.operatorId() + "/" + committable.checkpointId();
    return new CommitId(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * The stock sink's own test: the newest commit of the same job and operator is not older. A
   * committable of ours is compared with commits of the stock sink alone, which it may have been
   * restored into before, and with none that is older than itself: job ids may come again.
   */
  private boolean isCommittedByStockSink(SinkCommittable committable) {
    SinkCommittable.Trailer trailer = committable.trailer();
    table.refresh();
    return IcebergHistory.of(table, plan.branch())
        .newestFirst()
        .takeWhile(
            recent -> trailer == null || recent.timestampMillis() >= trailer.createdAtMillis())
        .map(RecentCommit::properties)
        .filter(
            summary -> trailer == null || !summary.containsKey(FinalizationProperties.COMMIT_ID))
        .filter(summary -> committable.jobId().equals(summary.get(SinkUtil.FLINK_JOB_ID)))
        .filter(
            summary ->
                summary.get(SinkUtil.OPERATOR_ID) == null
                    || committable.operatorId().equals(summary.get(SinkUtil.OPERATOR_ID)))
        .map(summary -> summary.get(SinkUtil.MAX_COMMITTED_CHECKPOINT_ID))
        .filter(Objects::nonNull)
        .findFirst()
        .map(checkpoint -> Long.parseLong(checkpoint) >= committable.checkpointId())
        .orElse(false);
  }
}

package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationEngine;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.Situation;
import dev.tidemark.iceberg.ForeignAppends;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TableTruth;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits checkpoints to one branch of one table: each as one snapshot with its facts, opinion and
 * mirror, exactly once by its commit id. Free of Flink; used by one thread.
 *
 * <p>The sequence of one commit: refresh; look for the commit's id if it was delivered before; read
 * the truth; decide; ask the hooks; commit compare-and-set; if the table moved meanwhile, start
 * again; tell the hooks and listeners.
 */
public final class TableCommitter {
  private static final Logger LOG = LoggerFactory.getLogger(TableCommitter.class);

  /** How often a commit of unknown outcome is looked for: with waits of up to a second. */
  private static final int UNKNOWN_LOOKS = 12;

  private final Table table;
  private final CommitPlan plan;
  private final Clock clock;
  private final Retries retries;
  private final SnapshotTransaction transaction;
  private final CommitSearch search;
  private final @Nullable FinalizationEngine engine;

  /**
   * A committer for a table.
   *
   * @param table a live handle that is used by nobody else
   * @param workers reads manifests; null for Iceberg's own pool
   * @throws IllegalArgumentException if the plan cannot work on this table's catalog
   */
  public TableCommitter(
      Table table, CommitPlan plan, Clock clock, @Nullable ExecutorService workers) {
    this.table = table;
    this.plan = plan;
    this.clock = clock;
    this.retries = Retries.of(table.properties());
    this.transaction =
        new SnapshotTransaction(table, plan.branch(), plan.replacesPartitions(), workers);
    this.search = new CommitSearch(table, plan.branch());
    FinalizationConfig config = plan.finalization();
    this.engine = config == null ? null : new FinalizationEngine(config);
    if (plan.mirrorMode() == MirrorMode.POST_COMMIT && !MirrorHealer.isPossible(table)) {
      throw new IllegalArgumentException(
          "Cannot use POST_COMMIT on table "
              + table.name()
              + ": its catalog gives property updates no requirement, so the last write would win"
              + " (expected: SAME_COMMIT on REST catalogs)");
    }
  }

  /**
   * Prepares the table for a job that starts: registers the writer, which then holds the table
   * until its first candidate, and heals the mirror. Does nothing if both are in order.
   */
  public void start() {
    FinalizationEngine current = engine;
    if (current == null) {
      return;
    }
    FinalizationConfig config = current.config();
    new OpinionChange(table, plan.branch(), plan.eventTimeColumn())
        .apply(
            config.policyText(),
            opinion -> opinion.join(config),
            truth -> isRegistered(truth, config));
    if (MirrorHealer.isPossible(table) && MirrorHealer.heal(table)) {
      LOG.info("Healed the finalization properties of table {}", table.name());
    }
  }

  /**
   * Commits one checkpoint.
   *
   * @param evenIfEmpty whether a commit without files is made although nothing in it is news
   * @throws CommitAbortedException if a hook refused; nothing was committed
   * @throws CommitStateUnknownException if nobody can tell whether it was committed
   * @throws CommitFailedException if the table kept moving
   */
  public CommitResult commit(TableCommit commit, boolean evenIfEmpty)
      throws CommitAbortedException {
    boolean mayBeThere = commit.identity().redelivered();
    for (int attempt = 0; ; attempt++) {
      table.refresh();
      OptionalLong found = mayBeThere ? search.find(commit) : OptionalLong.empty();
      if (found.isPresent()) {
        return alreadyCommitted(commit, found.getAsLong());
      }
      try {
        return attempt(commit, evenIfEmpty);
      } catch (StaleTableException e) {
        LOG.info("Deciding commit {} again: {}", commit.identity().id(), e.getMessage());
        retries.await(attempt, table.name(), e);
        mayBeThere = true;
      } catch (CommitStateUnknownException e) {
        return resolveUnknown(commit, e);
      }
    }
  }

  private CommitResult attempt(TableCommit commit, boolean evenIfEmpty)
      throws CommitAbortedException {
    TableTruth truth = TableTruth.readForCommit(table, plan.branch());
    Outcome outcome = engine == null ? null : engine.decide(situation(engine, truth, commit));
    boolean news = outcome != null && outcome.worthACommit();
    if (commit.files().isEmpty() && !evenIfEmpty && !news) {
      return new CommitResult.Skipped(outcome);
    }
    HookContext context =
        new HookContext(table, commit, IcebergHistory.beneath(table, plan.branch()), outcome);
    for (CommitProcessor<Table> processor : plan.processors()) {
      processor.preCommit(context);
    }
    boolean mirrors =
        outcome != null && plan.mirrorMode() == MirrorMode.SAME_COMMIT && !truth.rolledBack();
    long snapshotId =
        transaction.commit(
            truth,
            commit.files().read(),
            summary(commit, outcome, context),
            mirrors ? Objects.requireNonNull(outcome).opinion() : null,
            plan.eventTimeColumn());
    table.refresh();
    afterCommit(context, outcome == null ? List.of() : outcome.late());
    return new CommitResult.Committed(snapshotId, outcome);
  }

  private Map<String, String> summary(
      TableCommit commit, @Nullable Outcome outcome, HookContext context) {
    Map<String, String> summary = new LinkedHashMap<>(plan.snapshotProperties());
    summary.putAll(context.properties());
    FinalizationConfig config = plan.finalization();
    summary.putAll(
        FinalizationProperties.identity(
            config == null ? null : config.writer(), commit.identity().id().toString()));
    summary.putAll(plan.accumulators().properties(commit.counted().accumulated()));
    if (outcome != null) {
      summary.putAll(FinalizationProperties.write(outcome));
    }
    summary.putAll(commit.engineProperties());
    return summary;
  }

  private Situation situation(FinalizationEngine current, TableTruth truth, TableCommit commit) {
    byte[] facts = commit.counted().accumulated().get(EventTimeAccumulatorFactory.NAME);
    Coverage coverage = commit.counted().coverage();
    Snapshot head = truth.head();
    ForeignAppends foreign =
        ForeignAppends.since(
            table, truth, facts == null ? List.of(commit.files().read().dataFiles()) : List.of());
    return new Situation(
        truth.opinion(),
        facts == null ? EventTimeFacts.EMPTY : new EventTimeFacts.Codec().decode(facts),
        coverage == null
            ? null
            : new Situation.Source(coverage, lastCoverage(current.config().writer())),
        new Situation.CommitClock(clock.millis(), head == null ? null : head.timestampMillis()),
        new Situation.Signals(
            truth.rolledBack(), commit.counted().inputEnded(), foreign.rows(), foreign.unknown()));
  }

  /** The coverage that this writer's last commit on the ancestry carried. */
  private @Nullable Coverage lastCoverage(String writer) {
    return IcebergHistory.beneath(table, plan.branch())
        .newestFirst()
        .filter(recent -> writer.equals(recent.properties().get(FinalizationProperties.WRITER)))
        .filter(recent -> recent.properties().containsKey(FinalizationProperties.COVERAGE))
        .findFirst()
        .flatMap(recent -> FinalizationProperties.readCoverage(recent.properties()))
        .orElse(null);
  }

  private CommitResult alreadyCommitted(TableCommit commit, long snapshotId) {
    LOG.info(
        "Commit {} of checkpoint {} is in table {} as snapshot {}",
        commit.identity().id(),
        commit.identity().checkpointId(),
        table.name(),
        snapshotId);
    HookContext context =
        new HookContext(table, commit, IcebergHistory.from(table, snapshotId), null);
    afterCommit(context, PublishedLateRows.of(table, snapshotId));
    return new CommitResult.AlreadyCommitted(snapshotId);
  }

  private CommitResult resolveUnknown(TableCommit commit, CommitStateUnknownException unknown) {
    for (int attempt = 0; attempt < UNKNOWN_LOOKS; attempt++) {
      retries.pause(attempt);
      table.refresh();
      OptionalLong found = search.find(commit);
      if (found.isPresent()) {
        return alreadyCommitted(commit, found.getAsLong());
      }
    }
    throw unknown;
  }

  private void afterCommit(HookContext context, List<LateDataReport> late) {
    context.markCommitted();
    if (plan.mirrorMode() == MirrorMode.POST_COMMIT && isMain()) {
      healQuietly();
    }
    for (CommitProcessor<Table> processor : plan.processors()) {
      try {
        processor.postCommit(context);
      } catch (RuntimeException e) {
        LOG.error("A post-commit hook failed for commit {}", context.commitId(), e);
      }
    }
    late.forEach(this::tellListeners);
  }

  private void healQuietly() {
    try {
      MirrorHealer.heal(table);
    } catch (RuntimeException e) {
      LOG.warn(
          "Cannot write the finalization properties of table {}; the next commit heals them",
          table.name(),
          e);
    }
  }

  private void tellListeners(LateDataReport report) {
    for (LateDataListener listener : plan.lateListeners()) {
      try {
        listener.onLateRecords(table.name(), report);
      } catch (RuntimeException e) {
        LOG.error("A listener failed on late rows of table {}", table.name(), e);
      }
    }
  }

  private boolean isMain() {
    return plan.branch().equals(SnapshotRef.MAIN_BRANCH);
  }

  private static boolean isRegistered(TableTruth truth, FinalizationConfig config) {
    Opinion opinion = truth.opinion();
    return opinion != null && opinion.writers().containsKey(config.writer());
  }
}

package dev.tidemark.spark.merge;

import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.WriterState;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.spark.finality.BaseFinality;
import dev.tidemark.spark.finality.LedgerView;
import dev.tidemark.spark.maintenance.LedgerCompaction;
import dev.tidemark.spark.plan.SessionSettings;
import dev.tidemark.spark.plan.ShuffleFreeSession;
import dev.tidemark.spark.plan.ShuffledBytes;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiFunction;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.jspecify.annotations.Nullable;

/**
 * Merges what ledgers hold into a base table. Each ledger with news makes exactly one commit, and
 * so one metadata version, that holds the rows, how far the ledger is merged, and the watermark as
 * of the ledger's snapshot that was read.
 *
 * <p><strong>Right whatever the order.</strong> Per key the change with the greatest {@code
 * cdc_ord} wins, inside an increment and against the row that is there. A deleted row stays as a
 * tombstone with the order of its DELETE, so an older change that is delivered or merged later
 * finds something greater and changes nothing. TRUNCATE removes all older rows and leaves its order
 * in the state as the floor of every ledger: changes at or below it are left out from then on. A
 * changed primary key is a DELETE of the old key and an INSERT of the new one.
 *
 * <p><strong>Idempotent.</strong> The state of the merge is in the snapshot, so what was committed
 * is known with its rows, and merging a range again changes no row.
 *
 * <p><strong>Compare-and-set.</strong> A commit names the base snapshot that it was decided on. If
 * the base table moved meanwhile, rewrites left out, it is refused, and the merge decides again.
 *
 * <p>Uses the session from the calling thread alone, and changes its settings while it runs.
 */
public final class LedgerMerge {
  private static final String GROUP_FILTER =
      "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled";

  private static final int TRIES = 5;

  /** An increment is small below this part of the base table's rows. */
  private static final int SMALL = 10;

  private final SparkSession spark;
  private final MergeRequest request;

  private LedgerMerge(SparkSession spark, MergeRequest request) {
    this.spark = Objects.requireNonNull(spark, "spark is null");
    this.request = Objects.requireNonNull(request, "request is null");
  }

  /** A merge in a session; nothing is read yet. */
  public static LedgerMerge of(SparkSession spark, MergeRequest request) {
    return new LedgerMerge(spark, request);
  }

  /**
   * Merges every ledger up to its head, those after one that fails too: that one alone holds the
   * watermark. Only an interrupt, or a virtual machine that cannot go on, say without memory, ends
   * the run at that ledger.
   *
   * @return what happened to each, in the order of the request
   * @throws IllegalArgumentException if the base table's catalog does not carry finality; nothing
   *     was merged
   * @throws IllegalStateException if a setting of the session gives wrong results, or the request
   *     leaves out a ledger of the base table; nothing was merged
   * @throws MergeFailedException if a ledger could not be merged; all others were, or it says which
   *     were not tried. The calling thread is interrupted again if that was the failure.
   */
  public List<MergeOutcome> run() {
    ShuffleFreeSession.check(spark);
    Table base = SparkTables.loadBase(spark, request.base());
    refuseWithoutTheOthers(
        MergeState.of(base), TableTruth.read(base, SnapshotRef.MAIN_BRANCH).opinion());
    Map<TableName, MergeOutcome> outcomes = new LinkedHashMap<>();
    Map<TableName, Throwable> failures = new LinkedHashMap<>();
    boolean hasEnded = false;
    for (Iterator<TableName> ledgers = request.ledgers().iterator();
        ledgers.hasNext() && !hasEnded; ) {
      TableName ledger = ledgers.next();
      try {
        outcomes.put(ledger, merge(ledger));
      } catch (Throwable e) {
        // Scala declares nothing: Spark also throws what Java would make us declare.
        failures.put(ledger, e);
        hasEnded = endsTheRun(e);
      }
    }
    if (!failures.isEmpty()) {
      throw new MergeFailedException(request, outcomes, failures);
    }
    return List.copyOf(outcomes.values());
  }

  private static boolean endsTheRun(Throwable failure) {
    if (ExceptionUtils.indexOfType(failure, InterruptedException.class) >= 0) {
      Thread.currentThread().interrupt();
    }
    return Thread.currentThread().isInterrupted()
        || ExceptionUtils.indexOfType(failure, VirtualMachineError.class) >= 0;
  }

  private MergeOutcome merge(TableName ledger) {
    List<String> compacted = compacted(ledger);
    for (int attempt = 1; ; attempt++) {
      List<String> notes = new ArrayList<>(compacted);
      if (attempt > 1) {
        notes.add(
            "decided %d times: others committed to the base table meanwhile".formatted(attempt));
      }
      try {
        return ShuffleFreeSession.run(spark, Map.of(), () -> attempt(ledger, notes));
      } catch (RuntimeException e) {
        if (attempt == TRIES || !MergeCommit.isStale(e)) {
          throw e;
        }
      }
    }
  }

  /** Compacts what the increment touched, if that is asked for; returns what to say of it. */
  private List<String> compacted(TableName ledgerName) {
    LedgerCompaction compaction = request.options().compaction();
    Table ledger = SparkTables.load(spark, ledgerName);
    Snapshot head = ledger.currentSnapshot();
    if (compaction == null || head == null) {
      return List.of();
    }
    Table base = SparkTables.loadBase(spark, request.base());
    MergeState.Ledger before = MergeState.of(base).of(ledgerName.inCatalog());
    Increment increment = Increment.between(ledger, before, head.snapshotId());
    if (increment instanceof Increment.Nothing) {
      return List.of();
    }
    LedgerCompaction.Result result =
        compaction.touchedHours(
            spark, ledgerName, increment instanceof Increment.Range range ? range.after() : null);
    return result.hours() == 0
        ? List.of()
        : List.of(
            "compacted %d hours of the ledger first: %d files became %d"
                .formatted(result.hours(), result.rewritten(), result.added()));
  }

  private MergeOutcome attempt(TableName ledgerName, List<String> notes) {
    Table base = SparkTables.loadBase(spark, request.base());
    Table ledger = SparkTables.load(spark, ledgerName);
    BaseColumns columns = BaseColumns.of(request.base().toString(), base.schema(), ledger.schema());
    LedgerView view = LedgerView.atHead(ledger);
    TableTruth truth = TableTruth.read(base, SnapshotRef.MAIN_BRANCH);
    if (view == null) {
      return new MergeOutcome.NothingNew(
          truth.opinion(), List.of("ledger " + ledgerName + " is empty"));
    }
    MergeState state = MergeState.of(base);
    refuseWithoutTheOthers(state, truth.opinion());
    Increment increment =
        Increment.between(ledger, state.of(ledgerName.inCatalog()), view.snapshotId());
    LedgerView last = lastMerged(ledger, state.of(ledgerName.inCatalog()));
    Step step = new Step(base, columns, truth, state, ledgerName, ledger, view, last);
    List<String> all = new ArrayList<>(notes);
    if (step.leavesGap()) {
      all.add(gap(step));
    }
    return increment instanceof Increment.Nothing ? idle(step, all) : merge(step, increment, all);
  }

  /** A ledger as it was merged last; null if it is another table now, or that snapshot is gone. */
  private static @Nullable LedgerView lastMerged(Table ledger, MergeState.Ledger kept) {
    Long merged = kept.isOfAnother(ledger.uuid().toString()) ? null : kept.snapshotId();
    return merged == null ? null : LedgerView.at(ledger, merged);
  }

  private static String gap(Step step) {
    Opinion own = Objects.requireNonNull(step.view().opinion());
    Opinion known = Objects.requireNonNull(step.truth().opinion());
    WriterState merged = Objects.requireNonNull(known.writers().get(step.ledger().inCatalog()));
    return "ledger %s holds what happened from %s on, and was merged up to %s before: nobody read what is between, so nothing before the former is claimed any more"
        .formatted(
            step.ledger(),
            instant(own.watermark().fromMillis()),
            instant(merged.watermarkMillis()));
  }

  private static Instant instant(@Nullable Long millis) {
    return Instant.ofEpochMilli(Objects.requireNonNull(millis));
  }

  /**
   * The finality of a base table is that of all its ledgers: a merge that looked at some of them
   * would claim what the others do not hold.
   */
  private void refuseWithoutTheOthers(MergeState state, @Nullable Opinion opinion) {
    Set<String> missing = new TreeSet<>(opinion == null ? Set.of() : opinion.writers().keySet());
    state
        .ledgers()
        .forEach(
            (name, ledger) -> {
              if (ledger.isIn() && (opinion == null || ledger.snapshotId() == null)) {
                missing.add(name);
              }
            });
    request.ledgerNames().forEach(missing::remove);
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "Cannot merge %s into %s without its other ledgers %s (expected: all ledgers of the base table in each run, or those that are gone retired from its opinion)"
              .formatted(request.ledgerNames(), request.base(), missing));
    }
  }

  /** What one attempt has read before it decides. */
  private record Step(
      Table base,
      BaseColumns columns,
      TableTruth truth,
      MergeState state,
      TableName ledger,
      Table table,
      LedgerView view,
      @Nullable LedgerView last) {
    /** What the base table keeps of this very ledger, and not of another of its name. */
    MergeState.Ledger before() {
      MergeState.Ledger kept = state.of(ledger.inCatalog());
      MergeState.Ledger own = isMadeAgain() ? kept.madeAgain() : kept;
      return (leavesGap() ? own.notBootstrapped() : own).ofTable(uuid());
    }

    String uuid() {
      return table.uuid().toString();
    }

    boolean isMadeAgain() {
      return state.of(ledger.inCatalog()).isOfAnother(uuid());
    }

    boolean leavesGap() {
      boolean isSameTable = uuid().equals(state.of(ledger.inCatalog()).table());
      return BaseFinality.leavesGap(truth, ledger.inCatalog(), view, last, isSameTable);
    }

    BaseFinality.Current current() {
      ReopenedGranules unmerged = before().snapshotId() == null ? ReopenedGranules.NONE : null;
      return new BaseFinality.Current(
          ledger.inCatalog(),
          last == null ? unmerged : last.reopened(),
          isMadeAgain() || leavesGap());
    }
  }

  private MergeOutcome idle(Step step, List<String> notes) {
    MergeState.Ledger before = step.before();
    MergeCommit commit = commit(step, Truncation.NONE);
    boolean isKnown = Long.valueOf(step.view().snapshotId()).equals(before.snapshotId());
    if (isKnown && claims(step.truth().opinion()).equals(claims(commit.opinion()))) {
      return new MergeOutcome.NothingNew(step.truth().opinion(), notes);
    }
    return new MergeOutcome.Idle(commit.alone(step.base()), commit.opinion(), notes);
  }

  private MergeOutcome merge(Step step, Increment increment, List<String> before) {
    String view = incrementView(step, increment);
    try {
      return merge(step, increment, view, new ArrayList<>(before));
    } finally {
      spark.catalog().dropTempView(view);
    }
  }

  private MergeOutcome merge(Step step, Increment increment, String view, List<String> notes) {
    if (increment instanceof Increment.Whole whole) {
      notes.add("merging the whole ledger, guarded by cdc_ord: " + whole.reason());
    }
    ImageFunctions.register(spark, shape(step.columns()), step.columns().values());
    Truncation truncation = truncation(step, view, notes);
    boolean truncates = truncation.applied() != null;
    String floor = truncates ? truncation.applied() : step.before().floor();
    MergeStatement statement =
        new MergeStatement(request.base(), step.columns(), view, floor, truncates);
    MergeCommit commit = commit(step, truncation);
    Cost cost =
        SessionSettings.run(
            spark,
            Map.of(GROUP_FILTER, Boolean.toString(isSmall(step.base(), increment))),
            () -> execute(step, statement, commit, notes));
    return new MergeOutcome.Merged(
        commit.committed(step.base()).snapshotId(),
        increment.rows(),
        cost.exchanges(),
        cost.shuffledBytes(),
        commit.opinion(),
        notes);
  }

  private Cost execute(
      Step step, MergeStatement statement, MergeCommit commit, List<String> notes) {
    String whole = statement.increment() + "_ledger";
    KeyChanges.Source source =
        new KeyChanges.Source(
            request.base(), step.columns(), statement.increment(), whole, statement.floor());
    try (KeyChanges keys = new KeyChanges(spark, source)) {
      MergeCommit.Images before = commit.images();
      if (before == MergeCommit.Images.HALVES || keys.anyPartial()) {
        createLedgerView(step, whole);
        String view = keys.completed(request.options().missingHalf(), notes);
        Cost cost =
            execute(
                step,
                statement.reading(view),
                MergeStatement::folded,
                commit.having(MergeCommit.Images.HALVES),
                notes);
        return cost.plus(new Cost(0, keys.shuffledBytes()));
      }
      if (before == MergeCommit.Images.UPDATES) {
        return keys.anyPartialUpdate()
            ? execute(step, statement, MergeStatement::folded, commit, notes)
            : executeLatest(step, statement, commit.having(MergeCommit.Images.WHOLE), notes);
      }
      return executeLatest(step, statement, commit, notes);
    } finally {
      spark.catalog().dropTempView(whole);
    }
  }

  /** Tries with the latest change of each key alone. */
  private Cost executeLatest(
      Step step, MergeStatement statement, MergeCommit commit, List<String> notes) {
    try {
      return execute(step, statement, MergeStatement::latest, commit, notes);
    } catch (RuntimeException e) {
      if (!PartialImageException.isCauseOf(e)) {
        throw e;
      }
      notes.add(
          "updates leave columns out: all changes of a key are folded, until a merge meets none");
      MergeCommit folded = commit.having(MergeCommit.Images.UPDATES);
      return execute(step, statement, MergeStatement::folded, folded, notes);
    }
  }

  private Cost execute(
      Step step,
      MergeStatement statement,
      BiFunction<MergeStatement, Boolean, String> sql,
      MergeCommit commit,
      List<String> notes) {
    boolean isEmpty = rows(step.base()) == 0;
    PlannedStatement planned = new PlannedStatement(spark);
    Cost free = planned.runIfShuffleFree(sql.apply(statement, isEmpty), commit);
    if (free != null) {
      return free;
    }
    TableName staging = request.options().staging();
    if (staging == null) {
      Cost cost = planned.run(sql.apply(statement, isEmpty), commit);
      notes.add(
          "%d exchanges on the way of the rows, %s written to shuffles: %s is partitioned by %s, its ledger by %s"
              .formatted(
                  cost.exchanges(),
                  ShuffledBytes.text(cost.shuffledBytes()),
                  request.base(),
                  step.base().spec().fields(),
                  SparkTables.load(spark, step.ledger()).spec().fields()));
      notes.add("a staging table with the base table's partitions would leave one, of the ledger");
      return cost;
    }
    StagingTable.Staged staged =
        new StagingTable(spark, staging, step.columns()).fill(step.base(), statement.increment());
    notes.add(
        "the increment went through %s, with one exchange of %s"
            .formatted(staging, ShuffledBytes.text(staged.shuffledBytes())));
    try {
      String stagedSql = sql.apply(statement.reading(staged.view()), isEmpty);
      Cost join = planned.runIfShuffleFree(stagedSql, commit);
      return new Cost(1, staged.shuffledBytes())
          .plus(join != null ? join : planned.run(stagedSql, commit));
    } finally {
      spark.catalog().dropTempView(staged.view());
    }
  }

  /** Whether it pays to look first which files hold the keys of an increment. */
  private static boolean isSmall(Table base, Increment increment) {
    return increment.rows() < rows(base) / SMALL;
  }

  /** Rows of the head, deleted ones included; more than 0 where the summary does not say. */
  private static long rows(Table base) {
    Snapshot head = base.currentSnapshot();
    return head == null
        ? 0
        : Long.parseLong(summary(head).getOrDefault(SnapshotSummary.TOTAL_RECORDS_PROP, "1"));
  }

  private MergeCommit commit(Step step, Truncation truncation) {
    MergeState.Ledger merged =
        step.before().mergedTo(step.view().snapshotId()).ignoringTruncate(truncation.ignored());
    MergeState state = step.state().with(step.ledger().inCatalog(), merged);
    String floor = truncation.applied();
    MergeState after = floor == null ? state : state.withFloor(allLedgers(step), floor);
    Snapshot head = step.truth().head();
    return new MergeCommit(
        head == null ? null : head.snapshotId(),
        after,
        new BaseFinality(step.truth(), request.ledgerNames(), views(step, after), step.current())
            .next(),
        MergeCommit.Images.knownOf(step.base()));
  }

  /** Each ledger at the snapshot up to which it is merged once this step is committed. */
  private Map<String, LedgerView> views(Step step, MergeState after) {
    Map<String, LedgerView> views = new HashMap<>();
    for (TableName name : request.ledgers()) {
      MergeState.Ledger kept = after.of(name.inCatalog());
      LedgerView view = name.equals(step.ledger()) ? step.view() : viewOfOther(name, kept);
      if (view != null) {
        views.put(name.inCatalog(), kept.bootstrapped() ? view.bootstrapped() : view);
      }
    }
    return views;
  }

  /**
   * Null also for a ledger that cannot be read now: this one's changes do not wait for it. The base
   * table then goes on claiming of it what it did, and its own merge says what is wrong.
   */
  private @Nullable LedgerView viewOfOther(TableName name, MergeState.Ledger kept) {
    Long merged = kept.snapshotId();
    try {
      return merged == null ? null : LedgerView.at(SparkTables.load(spark, name), merged);
    } catch (Exception e) {
      return null;
    }
  }

  /** The whole ledger as of the snapshot that the step is pinned to. */
  private void createLedgerView(Step step, String name) {
    whole(step, step.view().snapshotId()).createOrReplaceTempView(name);
  }

  private String incrementView(Step step, Increment increment) {
    String name = "tidemark_increment_" + UUID.randomUUID().toString().replace('-', '_');
    Dataset<Row> rows =
        increment instanceof Increment.Range range
            ? spark
                .read()
                .format("iceberg")
                .option("start-snapshot-id", Long.toString(range.after()))
                .option("end-snapshot-id", Long.toString(range.end()))
                .load(step.ledger().sql())
            : whole(step, increment.end());
    rows.createOrReplaceTempView(name);
    return name;
  }

  /**
   * The ledger as of a snapshot, with the columns that it has now. A snapshot is read with those
   * that it was written with: where one was added since, it is null.
   */
  private Dataset<Row> whole(Step step, long snapshotId) {
    Dataset<Row> rows =
        spark
            .read()
            .format("iceberg")
            .option("snapshot-id", Long.toString(snapshotId))
            .load(step.ledger().sql());
    Set<String> known = Set.of(rows.columns());
    for (NestedField field : step.table().schema().columns()) {
      if (!known.contains(field.name())) {
        rows =
            rows.withColumn(
                field.name(), functions.lit(null).cast(SparkSchemaUtil.convert(field.type())));
      }
    }
    return rows;
  }

  /**
   * What becomes of a TRUNCATE in the increment.
   *
   * @param applied its order, if older rows are removed; null if not
   * @param ignored its order, if it is left out, by later merges too; null if not
   */
  private record Truncation(@Nullable String applied, @Nullable String ignored) {
    /** There is none. */
    static final Truncation NONE = new Truncation(null, null);
  }

  /** Those of this run, and all whose rows the base table may have: also of retired ones. */
  private Set<String> allLedgers(Step step) {
    Set<String> names = new TreeSet<>(step.state().ledgers().keySet());
    names.addAll(request.ledgerNames());
    return names;
  }

  private Truncation truncation(Step step, String view, List<String> notes) {
    String truncate = lastTruncate(step, view);
    if (truncate == null) {
      return Truncation.NONE;
    }
    MergeOptions.Truncate answer = request.options().truncate();
    if (answer == MergeOptions.Truncate.IGNORE) {
      notes.add("TRUNCATE at " + truncate + ": left out, as asked; older rows stay");
      return new Truncation(null, truncate);
    }
    Set<String> others = allLedgers(step);
    others.remove(step.ledger().inCatalog());
    if (answer == MergeOptions.Truncate.OF_THE_ONLY_LEDGER && !others.isEmpty()) {
      throw new IllegalStateException(
          "Cannot merge a TRUNCATE of ledger %s into %s: the base table has, or had, other ledgers %s, and does not know whose rows are whose (expected: one ledger, or a word on it: --truncate ignore leaves older rows, --truncate apply removes those of all ledgers)"
              .formatted(step.ledger(), request.base(), others));
    }
    notes.add("TRUNCATE at " + truncate + ": older rows are removed");
    return new Truncation(truncate, null);
  }

  private @Nullable String lastTruncate(Step step, String view) {
    MergeStatement statement =
        new MergeStatement(request.base(), step.columns(), view, step.before().floor(), false);
    String ignored = step.before().ignoredTruncate();
    return spark.sql(statement.lastTruncate(ignored)).first().getString(0);
  }

  private ImageShape shape(BaseColumns columns) {
    Set<String> ignored = new HashSet<>(request.ignored());
    columns.key().stream().map(NestedField::name).forEach(ignored::add);
    return new ImageShape(columns.valueNames(), ignored);
  }

  /** What an opinion claims; why it does not claim more is no news. */
  private static Map<String, String> claims(@Nullable Opinion opinion) {
    Map<String, String> claims =
        new HashMap<>(opinion == null ? Map.of() : FinalizationProperties.write(opinion));
    claims.remove(FinalizationProperties.HOLD);
    return claims;
  }

  private static Map<String, String> summary(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null ? Map.of() : summary;
  }
}

package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.CommitSearch;
import dev.tidemark.pinot.PinotHistory;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.PinotTruth;
import dev.tidemark.pinot.RunSegments;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.controller.PinotRefusedException;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import dev.tidemark.pinot.controller.Sleeper;
import dev.tidemark.pinot.segment.StagedFiles;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes commits to one table, each exactly once by its id. Free of Flink; used by one thread.
 *
 * <p>The sequence of one commit: look whether it is there; read the truth; decide; ask the hooks;
 * push, wait for all replicas and every broker; mirror; remove what was staged; tell hooks and
 * listeners. How it is pushed depends on the table:
 *
 * <ul>
 *   <li>without upsert, through segment lineage: all of it appears in one step;
 *   <li>REALTIME with full upsert: segment by segment, and the commit counts once its carrier is
 *       marked. The result is exactly once; what readers see on the way is not atomic.
 * </ul>
 *
 * A crash at any point is mended by the next delivery of the same commit.
 *
 * <p>After a rewind to an older savepoint the first commit of the restored run, with rows or
 * without, takes away what the savepoint does not know of. From a table with upsert nothing can be
 * taken away without keys vanishing: what is left there is logged, and rows of the same keys
 * replace it.
 *
 * <p>One commit takes no longer than {@link PinotPlan.Upload#timeout()}, apart from the hooks.
 */
public final class PinotTableCommitter implements SegmentPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(PinotTableCommitter.class);

  private final PinotPlan plan;
  private final PinotTable table;
  private final StagedFiles files;
  private final Patience patience;
  private final CommitSteps steps;
  private final ControllerClient controller;
  private final CommitSearch search;
  private final RunLedger ledger;
  private final OpinionDecision decision;
  private final RunBegin runBegin;
  private final MirrorWriter mirror;
  private final @Nullable String writer;
  private @Nullable Way way;

  /**
   * A publisher.
   *
   * @param files opens and removes staged files
   * @param clock stamps commits, and judges retention and the age of watermarks
   */
  public PinotTableCommitter(PinotPlan plan, StagedFiles files, Clock clock) {
    this(plan, files, new Patience(clock, Sleeper.real()), CommitSteps.UNSEEN);
  }

  PinotTableCommitter(PinotPlan plan, StagedFiles files, Patience patience, CommitSteps steps) {
    this.plan = Objects.requireNonNull(plan, "plan is null");
    this.table = plan.table();
    this.files = Objects.requireNonNull(files, "files is null");
    this.patience = patience;
    this.steps = steps;
    this.controller = ControllerClient.of(plan.controller(), patience);
    this.search = new CommitSearch(table, controller);
    this.ledger = new RunLedger(table, controller, search);
    this.decision = new OpinionDecision(plan);
    this.runBegin = new RunBegin(table, controller);
    this.mirror = new MirrorWriter(plan, controller, patience);
    FinalizationConfig config = plan.finalization();
    this.writer = config == null ? null : config.writer();
  }

  @Override
  public void start() {
    TableShape shape = TableShape.read(table, controller);
    new Preflight(plan, controller).check(shape);
    way = way(shape);
    if (plan.finalization() != null) {
      register(plan.finalization(), PinotTruth.read(table, controller, search, now()));
    }
  }

  @Override
  public PublishResult publish(PinotCommit commit) throws CommitAbortedException {
    patience.bound(plan.upload().timeout());
    try {
      return commit.segments().isEmpty() ? publishEmpty(commit) : publishParts(Parts.of(commit));
    } catch (PinotUnavailableException | PinotRefusedException | UncheckedIOException e) {
      throw new PublishFailedException(
          "Cannot publish commit "
              + commit.id()
              + " of run "
              + commit.run().id()
              + " to "
              + table
              + ": "
              + e.getMessage(),
          e);
    } finally {
      patience.unbound();
    }
  }

  @Override
  public long retries() {
    return controller.retries();
  }

  @Override
  public void close() {}

  private PublishResult publishParts(Parts parts) throws CommitAbortedException {
    PinotCommit commit = parts.commit();
    steps.before(CommitStep.LOOK_UP);
    boolean finished = ledger.isFinished(commit);
    if (finished && !commit.delivery().redelivered()) {
      return startedAgain(parts);
    }
    Found found = way().find(parts);
    if (found instanceof Found.Done done) {
      return alreadyPublished(parts, done);
    }
    if (finished) {
      return startedAgain(parts);
    }
    steps.before(CommitStep.DECIDE);
    Set<String> replaced = way().replaces(parts, found);
    long now = now();
    PinotTruth truth =
        PinotTruth.readWithout(replaced, runOf(commit), table, controller, search, now);
    Outcome outcome = decision.decide(truth, commit, now);
    PinotHookContext context = context(commit, truth, outcome);
    ask(context);
    StagedSegment carrier = parts.carrier(found.kept(parts));
    CommitRecord record = record(parts, carrier, truth, replaced, now);
    Map<String, String> carried = carried(commit, record, outcome, context);
    Labels labels = Labels.fitting(pointer(record), carried);
    way().publish(parts, found, replaced, labels);
    if (carrier != null) {
      List<StagedSegment> own = parts.without(found.kept(parts));
      search.published(
          own.stream().map(StagedSegment::name).toList(), carrier.name(), labels.carrier());
    }
    steps.before(CommitStep.MIRROR);
    mirror.show(carried, record, carrier == null);
    steps.before(CommitStep.CLEAN);
    clean(parts.segments());
    tell(context, outcome == null ? List.of() : outcome.late());
    return new PublishResult.Published(outcome);
  }

  /** Whatever it has built now may have other bytes under the names of then: none is looked at. */
  private PublishResult startedAgain(Parts parts) {
    PinotCommit commit = parts.commit();
    LOG.warn(
        "Run {} is finished in {}: commit {} changes nothing. A new load needs a new run id.",
        commit.run().id(),
        table,
        commit.id());
    clean(parts.segments());
    return new PublishResult.AlreadyPublished();
  }

  /**
   * No segment can carry it: what it says is kept in the table config alone. What a rewind has left
   * behind is taken away all the same.
   */
  private PublishResult publishEmpty(PinotCommit commit) throws CommitAbortedException {
    steps.before(CommitStep.LOOK_UP);
    if (ledger.isFinished(commit)) {
      return new PublishResult.AlreadyPublished();
    }
    steps.before(CommitStep.DECIDE);
    Set<String> rewound = way().replaces(Parts.of(commit), new Found.Fresh(Set.of()));
    long now = now();
    PinotTruth truth =
        PinotTruth.readWithout(rewound, runOf(commit), table, controller, search, now);
    Outcome outcome = decision.decide(truth, commit, now);
    boolean news = outcome != null && outcome.worthACommit();
    if (!news && rewound.isEmpty() && !commit.delivery().inputEnded()) {
      return new PublishResult.Skipped();
    }
    PinotHookContext context = context(commit, truth, outcome);
    ask(context);
    if (!rewound.isEmpty()) {
      way().withdraw(rewound);
    }
    CommitRecord record = emptyRecord(commit, truth, now);
    steps.before(CommitStep.MIRROR);
    mirror.show(carried(commit, record, outcome, context), record, news);
    tell(context, outcome == null ? List.of() : outcome.late());
    return new PublishResult.Published(outcome);
  }

  private PublishResult alreadyPublished(Parts parts, Found.Done done) {
    PinotCommit commit = parts.commit();
    LOG.info(
        "Commit {} of checkpoint {} is in {}: {}",
        commit.id(),
        commit.checkpointId(),
        table,
        done.reason());
    Optional<RecentCommit> carrier = Optional.ofNullable(done.carrier()).flatMap(search::commit);
    carrier
        .map(RecentCommit::properties)
        .ifPresent(
            properties -> {
              steps.before(CommitStep.MIRROR);
              mirror.show(properties, CommitRecord.read(properties).orElse(null), false);
            });
    steps.before(CommitStep.CLEAN);
    clean(parts.segments());
    PinotTruth truth = PinotTruth.read(table, controller, search, now());
    tell(context(commit, truth, null), carrier.map(this::lateRows).orElse(List.of()));
    return new PublishResult.AlreadyPublished();
  }

  private CommitRecord record(
      Parts parts,
      @Nullable StagedSegment carrier,
      PinotTruth truth,
      Set<String> replaced,
      long now) {
    PinotCommit commit = parts.commit();
    Set<String> names = parts.names();
    RunSegments run = new RunSegments(commit.run().id());
    List<String> others =
        truth.visible().stream()
            .filter(name -> !names.contains(name) && !replaced.contains(name))
            .filter(run::isOne)
            .toList();
    long own = run.count(names);
    Long begin = begin(parts.segments());
    String newest = truth.newest().map(RecentCommit::id).orElse(null);
    return new CommitRecord(
        commit.id().toString(),
        runOf(commit),
        commit.checkpointId(),
        carrier == null ? newest : carrier.name(),
        now,
        new CommitRecord.Size(
            parts.segments().size(),
            commit.rows(),
            others.size() + own,
            begin,
            end(parts.segments()),
            runBegin.with(begin, others, commit, truth)),
        commit.delivery().inputEnded(),
        newest);
  }

  private CommitRecord emptyRecord(PinotCommit commit, PinotTruth truth, long now) {
    String newest = truth.newest().map(RecentCommit::id).orElse(null);
    CommitRecord before =
        truth.newest().flatMap(c -> CommitRecord.read(c.properties())).orElse(null);
    return new CommitRecord(
        commit.id().toString(),
        runOf(commit),
        commit.checkpointId(),
        newest,
        now,
        new CommitRecord.Size(
            0,
            0,
            new RunSegments(commit.run().id()).count(truth.visible()),
            before == null ? null : before.size().beginMillis(),
            before == null ? null : before.size().endMillis(),
            before == null ? null : before.size().runBeginMillis()),
        commit.delivery().inputEnded(),
        newest);
  }

  private CommitRecord.RunRef runOf(PinotCommit commit) {
    return way().withdraws()
        ? CommitRecord.RunRef.withdrawing(commit.run(), commit.checkpointId())
        : CommitRecord.RunRef.of(commit.run());
  }

  private Map<String, String> pointer(CommitRecord record) {
    Map<String, String> pointer = FinalizationProperties.identity(writer, record.commitId());
    pointer.putAll(record.pointer());
    return pointer;
  }

  private Map<String, String> carried(
      PinotCommit commit,
      CommitRecord record,
      @Nullable Outcome outcome,
      PinotHookContext context) {
    Map<String, String> carried = new LinkedHashMap<>(context.properties());
    carried.putAll(FinalizationProperties.identity(writer, record.commitId()));
    carried.putAll(plan.accumulators().properties(commit.accumulated()));
    if (outcome != null) {
      carried.putAll(FinalizationProperties.write(outcome));
      if (plan.opinionSource() != null) {
        carried.put(PinotProperties.CARRIED_OVER, "true");
      }
    }
    carried.putAll(record.properties());
    return carried;
  }

  /**
   * Heals what an earlier job left half done: a commit that was made but not mirrored. Also makes
   * others who write the table wait for this writer's first candidate, from its start on.
   */
  private void register(FinalizationConfig config, PinotTruth truth) {
    Opinion opinion = truth.opinion();
    truth.commits().stream()
        .filter(c -> config.writer().equals(c.properties().get(FinalizationProperties.WRITER)))
        .findFirst()
        .map(RecentCommit::properties)
        .ifPresent(p -> mirror.show(p, CommitRecord.read(p).orElse(null), false));
    // Where the opinion comes from another table, the first one that comes names the writers.
    boolean isFormedHere = plan.opinionSource() == null;
    Opinion current =
        opinion == null && isFormedHere ? Opinion.initial(config.policyText()) : opinion;
    if (current != null && !current.writers().containsKey(config.writer())) {
      Map<String, String> entry = new LinkedHashMap<>();
      entry.put(FinalizationProperties.WRITER, config.writer());
      entry.put(PinotProperties.COMMIT_TIME_MS, Long.toString(now()));
      entry.putAll(FinalizationProperties.write(current.join(config)));
      mirror.show(entry, null, true);
    }
  }

  private void ask(PinotHookContext context) throws CommitAbortedException {
    for (CommitProcessor<PinotTableHandle> processor : plan.processors()) {
      processor.preCommit(context);
    }
  }

  private void tell(PinotHookContext context, List<LateDataReport> late) {
    steps.before(CommitStep.TELL);
    context.markCommitted();
    for (CommitProcessor<PinotTableHandle> processor : plan.processors()) {
      try {
        processor.postCommit(context);
      } catch (RuntimeException e) {
        LOG.error("A post-commit hook failed for commit {}", context.commitId(), e);
      }
    }
    late.forEach(this::tellListeners);
  }

  private void tellListeners(LateDataReport report) {
    for (LateDataListener listener : plan.lateListeners()) {
      try {
        listener.onLateRecords(table.nameWithType(), report);
      } catch (RuntimeException e) {
        LOG.error("A listener failed on late rows of table {}", table, e);
      }
    }
  }

  /** The late rows as the carrier keeps them, behind the watermark of the commit before it. */
  private List<LateDataReport> lateRows(RecentCommit commit) {
    String late = commit.properties().get(FinalizationProperties.LATE);
    String parent = commit.properties().get(PinotProperties.PARENT);
    Map<String, String> basis =
        parent == null
            ? commit.properties()
            : search.commit(parent).map(RecentCommit::properties).orElse(commit.properties());
    Long watermark = FinalizationProperties.number(basis, FinalizationProperties.WATERMARK_MS);
    return late == null || watermark == null
        ? List.of()
        : List.of(
            new LateDataReport(
                watermark, LateRows.fromText(late).granules(), LateDataReport.Cause.STREAM));
  }

  /** Staged files may go once the commit is seen; one that stays costs space, nothing else. */
  private void clean(List<StagedSegment> segments) {
    if (!plan.upload().deletesStaged()) {
      return;
    }
    List<String> uris = new ArrayList<>();
    segments.forEach(
        segment -> {
          uris.add(segment.files().tarUri());
          uris.add(segment.files().metadataUri());
        });
    for (String uri : uris) {
      try {
        files.delete(uri);
      } catch (IOException | RuntimeException e) {
        LOG.warn("Cannot remove staged file {}; it may be removed by hand", uri, e);
      }
    }
  }

  private PinotHookContext context(
      PinotCommit commit, PinotTruth truth, @Nullable Outcome outcome) {
    return new PinotHookContext(
        new PinotTableHandle(table, controller),
        commit,
        new PinotHistory(truth.newest().orElse(null), search),
        outcome);
  }

  private Way way(TableShape shape) {
    StagedBytes staged = new StagedBytes(files);
    Pusher pusher = new Pusher(plan, controller, patience, staged, steps);
    Served served = new Served(table, controller, patience, plan.upload().timeout());
    return shape.upsert() == TableShape.Upsert.FULL
        ? new UpsertWay(plan, controller, pusher, served, ledger, steps)
        : new LineageWay(plan, controller, pusher, served, ledger, steps);
  }

  private Way way() {
    Way current = way;
    if (current == null) {
      throw new IllegalStateException("Cannot publish to " + table + " (expected: start first)");
    }
    return current;
  }

  private long now() {
    return patience.nowMillis();
  }

  private static @Nullable Long begin(List<StagedSegment> segments) {
    return segments.stream()
        .map(StagedSegment::times)
        .filter(Objects::nonNull)
        .map(times -> Objects.requireNonNull(times).minMillis())
        .min(Long::compare)
        .orElse(null);
  }

  private static @Nullable Long end(List<StagedSegment> segments) {
    return segments.stream()
        .map(StagedSegment::times)
        .filter(Objects::nonNull)
        .map(times -> Objects.requireNonNull(times).maxMillis())
        .max(Long::compare)
        .orElse(null);
  }
}

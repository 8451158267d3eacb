package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.late.LateDataReport.Cause;
import dev.tidemark.finalization.late.ReopenedGranules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Forms the opinion of one writer, commit by commit: a pure function of the opinion that the commit
 * is based on, the facts that it brings, and the time. A refused commit is decided again on the new
 * truth; the same situation always gives the same outcome. Immutable and thread-safe.
 *
 * <p>The rule: {@code W' = max(W, floor(min(candidate, commit time), granule))}, where the
 * candidate is the least statistic over the window (see {@link FinalizationPolicy}), and the
 * table's watermark is the least over its registered writers. Where two rules meet, the one that
 * holds wins.
 */
public final class FinalizationEngine {
  private final FinalizationConfig config;
  private final Granularity granularity;
  private final WriterAdvance advance;

  /** An engine for the writer that the configuration names. */
  public FinalizationEngine(FinalizationConfig config) {
    this.config = Objects.requireNonNull(config, "config is null");
    this.granularity = config.granularity();
    this.advance = new WriterAdvance(config);
  }

  /** The configuration. */
  public FinalizationConfig config() {
    return config;
  }

  /** Decides one attempt to commit. */
  public Outcome decide(Situation situation) {
    Opinion truth = situation.truth();
    Opinion base = truth == null ? Opinion.initial(config.policyText()) : truth;
    Opinion joined = base.join(config);
    WriterState before = Objects.requireNonNull(joined.writers().get(config.writer()));
    WriterState counted = advance.count(before, situation);
    @Nullable Coverage coverage = SourceRules.stamp(situation, before.window(), counted.window());

    List<LateDataReport> late = lateRows(base, situation);
    Opinion next = withCommit(joined, counted, situation, late);
    Opinion decided = decide(next, counted, coverage, situation);
    return new Outcome(
        decided, decision(base, decided), late, coverage, isWorthACommit(base, decided));
  }

  private Opinion decide(
      Opinion next, WriterState state, @Nullable Coverage coverage, Situation situation) {
    Hold stop = tableHold(situation);
    if (stop != null) {
      return next.withHold(stop);
    }
    WriterAdvance.Step step = advance.step(state, coverage, situation);
    Opinion moved = withWriter(next, step.state()).published();
    return isOwnFault(moved, next, step) ? moved.withHold(step.hold()) : moved;
  }

  /** Whether the table stands still because this very writer does, for a reason of its own. */
  private boolean isOwnFault(Opinion moved, Opinion before, WriterAdvance.Step step) {
    Long own = step.state().watermarkMillis();
    Long table = moved.watermarkMillis();
    boolean tableMoved = !Objects.equals(table, before.watermarkMillis());
    boolean ownBehind = own == null || (table != null && own <= table);
    return !tableMoved && ownBehind && step.hold() != null && !moved.bootstrapPending();
  }

  private static @Nullable Hold tableHold(Situation situation) {
    Long parent = situation.clock().parentMillis();
    if (situation.signals().rolledBack()) {
      return Hold.of(Hold.Reason.ROLLED_BACK);
    }
    if (parent != null && situation.clock().nowMillis() < parent) {
      return Hold.of(Hold.Reason.CLOCK);
    }
    return situation.signals().foreignUnknown() ? Hold.of(Hold.Reason.FOREIGN_COMMIT) : null;
  }

  private Opinion withCommit(
      Opinion joined, WriterState counted, Situation situation, List<LateDataReport> late) {
    FinalizationWatermark mark = joined.watermark();
    Long from = from(joined, situation.facts());
    ReopenedGranules reopened = joined.reopened();
    for (LateDataReport report : late) {
      for (GranuleCounts revision : revisions(report, situation)) {
        reopened = reopened.plus(claimed(revision, from));
      }
    }
    return withWriter(
        new Opinion(
            new FinalizationWatermark(from, mark.watermarkMillis(), mark.evidence()),
            config.policyText(),
            joined.hold(),
            joined.epoch(),
            joined.bootstrapPending(),
            joined.writers(),
            reopened),
        counted);
  }

  /** What is declared may lower the start of a table's only writer; others may not have read it. */
  private @Nullable Long from(Opinion joined, EventTimeFacts facts) {
    Long current = joined.watermark().fromMillis();
    Long start = startOfReading(facts);
    boolean lowers =
        config.readFrom() != null
            && joined.writers().size() == 1
            && current != null
            && start != null
            && start < current;
    return current == null || lowers ? start : current;
  }

  /**
   * The first boundary at or after the start of what is read. Where nothing is declared, the latest
   * event of the first commit stands for that start: an event never lands before it happens, so
   * reading began no later than that, while a late row says nothing of when reading began.
   */
  private @Nullable Long startOfReading(EventTimeFacts facts) {
    if (config.readFrom() != null) {
      return granularity.ceil(config.readFrom().toEpochMilli());
    }
    return facts.hasStreamRecords() ? granularity.ceil(facts.times().maxMillis()) : null;
  }

  private static List<LateDataReport> lateRows(Opinion base, Situation situation) {
    Long watermark = base.watermarkMillis();
    List<LateDataReport> reports = new ArrayList<>();
    if (watermark != null) {
      addReport(reports, watermark, situation.facts().granules().before(watermark), Cause.STREAM);
      addReport(reports, watermark, situation.signals().foreignRows().sum(), Cause.FOREIGN);
    }
    return reports;
  }

  private static void addReport(
      List<LateDataReport> reports, long watermark, GranuleCounts rows, Cause cause) {
    if (!rows.isEmpty()) {
      reports.add(new LateDataReport(watermark, rows, cause));
    }
  }

  /** Readers have counted each foreign commit as a revision before: a revision never goes back. */
  private static List<GranuleCounts> revisions(LateDataReport report, Situation situation) {
    return report.cause() == Cause.FOREIGN
        ? situation.signals().foreignRows().appends()
        : List.of(report.rows());
  }

  /** The rows of granules that the opinion claims; nobody relied on what lies before them. */
  private static GranuleCounts claimed(GranuleCounts rows, @Nullable Long from) {
    if (from == null) {
      return GranuleCounts.none();
    }
    return GranuleCounts.of(new TreeMap<>(rows.asMap().tailMap(from)));
  }

  private Opinion withWriter(Opinion opinion, WriterState state) {
    SortedMap<String, WriterState> writers = new TreeMap<>(opinion.writers());
    writers.put(config.writer(), state);
    return new Opinion(
        opinion.watermark(),
        opinion.policy(),
        opinion.hold(),
        opinion.epoch(),
        opinion.bootstrapPending(),
        writers,
        opinion.reopened());
  }

  private static Decision decision(Opinion base, Opinion decided) {
    Long watermark = decided.watermarkMillis();
    if (watermark != null && !watermark.equals(base.watermarkMillis())) {
      return new Decision.Advance(watermark);
    }
    Hold hold = decided.hold();
    return new Decision.Stay(hold == null ? Hold.of(Hold.Reason.NO_DATA) : hold);
  }

  private boolean isWorthACommit(Opinion base, Opinion decided) {
    WriterState before = base.writers().get(config.writer());
    WriterState after = Objects.requireNonNull(decided.writers().get(config.writer()));
    return before == null
        || !base.watermark().equals(decided.watermark())
        || !Objects.equals(before.watermarkMillis(), after.watermarkMillis());
  }
}

package dev.tidemark.spark.finality;

import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.WriterState;
import dev.tidemark.iceberg.TableTruth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The opinion of a base table. Its writers are its ledgers, each with the watermark that it had at
 * the snapshot up to which it was merged: all its events before that are in the base table too.
 *
 * <p>The base table's watermark is the least of its ledgers', and never moves back; {@code from} is
 * the latest of theirs; the evidence is the weakest. A ledger that was never merged, or has no
 * watermark, holds the table and is named, and nothing is claimed meanwhile. One that joins behind
 * the base table's watermark is answered for once it has reached it: until then nothing below that
 * watermark is claimed. While the base table is rolled back its watermark stays ({@code
 * ROLLED_BACK}) until an explicit reset, as with any sink.
 */
public final class BaseFinality {
  private final TableTruth base;
  private final Map<String, LedgerView> views;
  private final List<String> ledgers;

  /**
   * @param base the truth of the base table that the merge is based on
   * @param ledgers the names of all ledgers of the base table
   * @param views each ledger at the snapshot up to which it is merged after this commit; one that
   *     was never merged, or whose snapshot is gone, is left out
   */
  public BaseFinality(TableTruth base, List<String> ledgers, Map<String, LedgerView> views) {
    this.base = base;
    this.ledgers = List.copyOf(ledgers);
    this.views = Map.copyOf(views);
  }

  /**
   * The opinion to commit; null while neither the base table nor a ledger has one.
   *
   * @throws IllegalArgumentException if ledgers have granules of different lengths
   */
  public @Nullable Opinion next() {
    Opinion model = model();
    if (model == null) {
      return null;
    }
    SortedMap<String, WriterState> writers = writers();
    Opinion before = base.opinion();
    boolean pending = isPending(before);
    FinalizationWatermark shown =
        new FinalizationWatermark(from(writers), base.watermarkMillis(), evidence(writers));
    FinalizationWatermark moved = pending || base.rolledBack() ? shown : advanced(shown, writers);
    return new Opinion(
        moved,
        model.policy(),
        hold(moved, writers, pending),
        before == null ? 0 : before.epoch(),
        pending,
        writers,
        reopened());
  }

  /** A ledger that says nothing now may be the one whose bootstrap runs. */
  private boolean isPending(@Nullable Opinion before) {
    boolean wasPending =
        before != null
            && before.bootstrapPending()
            && ledgers.stream()
                .anyMatch(name -> before.writers().containsKey(name) && !views.containsKey(name));
    return wasPending || opinions().stream().anyMatch(Opinion::bootstrapPending);
  }

  private @Nullable Opinion model() {
    Opinion model = null;
    for (Opinion opinion : opinions()) {
      if (model != null && !model.policy().granularity().equals(opinion.policy().granularity())) {
        throw new IllegalArgumentException(
            "Cannot give a base table one finality: its ledgers have granules of "
                + model.policy().granularity()
                + " and "
                + opinion.policy().granularity()
                + " (expected: one length)");
      }
      model = model == null ? opinion : model;
    }
    return model == null ? base.opinion() : model;
  }

  private List<Opinion> opinions() {
    List<Opinion> opinions = new ArrayList<>();
    for (String ledger : ledgers) {
      LedgerView view = views.get(ledger);
      if (view != null && view.opinion() != null) {
        opinions.add(view.opinion());
      }
    }
    return opinions;
  }

  /** All ledgers, and those that earlier merges registered and nobody has retired. */
  private SortedMap<String, WriterState> writers() {
    Opinion before = base.opinion();
    SortedMap<String, WriterState> writers =
        new TreeMap<>(before == null ? Map.of() : before.writers());
    for (String ledger : ledgers) {
      writers.put(ledger, writer(views.get(ledger), writers.get(ledger)));
    }
    return writers;
  }

  private static WriterState writer(@Nullable LedgerView view, @Nullable WriterState before) {
    Opinion opinion = view == null ? null : view.opinion();
    Long known = before == null ? null : before.watermarkMillis();
    Long now = opinion == null ? null : opinion.watermarkMillis();
    boolean isLater = now != null && (known == null || now >= known);
    if (opinion != null && (isLater || before == null)) {
      return state(now, opinion.watermark().evidence());
    }
    return before == null ? state(null, Evidence.ESTIMATE) : before;
  }

  private static WriterState state(@Nullable Long watermark, Evidence evidence) {
    return new WriterState(watermark, evidence, null, "", CommitWindow.EMPTY);
  }

  private static Evidence evidence(SortedMap<String, WriterState> writers) {
    boolean promised =
        writers.values().stream().allMatch(writer -> writer.evidence() == Evidence.PROMISE);
    return promised ? Evidence.PROMISE : Evidence.ESTIMATE;
  }

  /**
   * The latest start of all ledgers; null while any has none, since then nothing is known to be
   * whole. It rises only when a ledger joins, which it does until it was merged with a watermark:
   * what the base table holds whole it keeps.
   */
  private @Nullable Long from(SortedMap<String, WriterState> writers) {
    Opinion before = base.opinion();
    Long known = before == null ? null : before.watermark().fromMillis();
    Long from = null;
    for (String ledger : ledgers) {
      LedgerView view = views.get(ledger);
      Opinion opinion = view == null ? null : view.opinion();
      Long gone = isMerged(ledger) ? known : null;
      Long own = opinion == null ? gone : opinion.watermark().fromMillis();
      if (own == null) {
        return null;
      }
      from = from == null ? own : Long.valueOf(Math.max(from, own));
    }
    Long current = base.watermarkMillis();
    if (from != null && current != null && isAnyBehind(writers, current)) {
      from = Math.max(from, current);
    }
    boolean joins = !ledgers.stream().allMatch(this::isMerged);
    return joins || known == null || from == null ? from : Long.valueOf(Math.min(known, from));
  }

  /** Whether an earlier merge took a watermark of the ledger over. */
  private boolean isMerged(String ledger) {
    Opinion before = base.opinion();
    WriterState writer = before == null ? null : before.writers().get(ledger);
    return writer != null && writer.watermarkMillis() != null;
  }

  /** Watermarks of ledgers never go back, so only one that has joined can be behind the base's. */
  private static boolean isAnyBehind(SortedMap<String, WriterState> writers, long current) {
    return writers.values().stream()
        .map(WriterState::watermarkMillis)
        .anyMatch(own -> own == null || own < current);
  }

  private static FinalizationWatermark advanced(
      FinalizationWatermark shown, SortedMap<String, WriterState> writers) {
    Long least = null;
    for (WriterState writer : writers.values()) {
      Long own = writer.watermarkMillis();
      if (own == null) {
        return shown;
      }
      least = least == null ? own : Long.valueOf(Math.min(least, own));
    }
    Long current = shown.watermarkMillis();
    boolean moves = least != null && (current == null || least > current);
    return moves ? new FinalizationWatermark(shown.fromMillis(), least, shown.evidence()) : shown;
  }

  private @Nullable Hold hold(
      FinalizationWatermark moved, SortedMap<String, WriterState> writers, boolean pending) {
    if (base.rolledBack()) {
      return Hold.of(Hold.Reason.ROLLED_BACK);
    }
    if (pending) {
      return Hold.of(Hold.Reason.BOOTSTRAP_PENDING);
    }
    Long now = moved.watermarkMillis();
    Long before = base.watermarkMillis();
    if (now != null && (before == null || now > before)) {
      return null;
    }
    return writers.size() == 1 ? ledgersHold() : laggards(writers, now);
  }

  /** What the only ledger itself says. */
  private Hold ledgersHold() {
    for (LedgerView view : views.values()) {
      if (view.revoked()) {
        return Hold.of(Hold.Reason.ROLLED_BACK);
      }
      Opinion opinion = view.opinion();
      if (opinion != null && opinion.hold() != null) {
        return opinion.hold();
      }
    }
    return Hold.of(Hold.Reason.NO_DATA);
  }

  private static Hold laggards(SortedMap<String, WriterState> writers, @Nullable Long now) {
    List<String> names = new ArrayList<>();
    writers.forEach(
        (name, writer) -> {
          Long own = writer.watermarkMillis();
          if (own == null || (now != null && own <= now)) {
            names.add(name);
          }
        });
    return Hold.of(Hold.Reason.WRITER_BEHIND, names);
  }

  /**
   * The late rows of all ledgers. A ledger whose snapshot is gone says nothing, so then nothing
   * that the base table already says is taken back.
   */
  private ReopenedGranules reopened() {
    List<ReopenedGranules> parts = new ArrayList<>();
    for (String ledger : ledgers) {
      LedgerView view = views.get(ledger);
      if (view != null && view.opinion() != null) {
        parts.add(view.opinion().reopened().plus(view.foreign()));
      }
    }
    Opinion before = base.opinion();
    ReopenedGranules sum = sum(parts);
    return before == null || parts.size() == ledgers.size() ? sum : greater(sum, before.reopened());
  }

  private static ReopenedGranules sum(List<ReopenedGranules> parts) {
    SortedMap<Long, ReopenedGranules.Reopened> all = new TreeMap<>();
    long older = 0;
    for (ReopenedGranules part : parts) {
      part.granules().forEach((start, one) -> all.merge(start, one, BaseFinality::plus));
      older += part.olderRows();
    }
    return limited(all, older);
  }

  private static ReopenedGranules greater(ReopenedGranules one, ReopenedGranules other) {
    SortedMap<Long, ReopenedGranules.Reopened> all = new TreeMap<>(one.granules());
    other
        .granules()
        .forEach(
            (start, now) -> all.merge(start, now, (a, b) -> a.revision() >= b.revision() ? a : b));
    return limited(all, Math.max(one.olderRows(), other.olderRows()));
  }

  private static ReopenedGranules.Reopened plus(
      ReopenedGranules.Reopened one, ReopenedGranules.Reopened other) {
    return new ReopenedGranules.Reopened(
        one.rows() + other.rows(), one.revision() + other.revision());
  }

  private static ReopenedGranules limited(
      SortedMap<Long, ReopenedGranules.Reopened> all, long olderRows) {
    long older = olderRows;
    while (all.size() > ReopenedGranules.MAX_GRANULES) {
      ReopenedGranules.Reopened oldest = all.remove(all.firstKey());
      older += oldest == null ? 0 : oldest.rows();
    }
    return new ReopenedGranules(all, older);
  }
}

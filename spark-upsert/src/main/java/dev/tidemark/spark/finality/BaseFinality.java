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
import java.util.Objects;
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
 * watermark is claimed. One that was dropped and made again joins anew, and so does one whose own
 * start lies after what the base table had of it: nobody read what is between, so {@code from}
 * rises to that start. While the base table is rolled back its watermark stays ({@code
 * ROLLED_BACK}) until an explicit reset, as with any sink.
 */
public final class BaseFinality {
  private final TableTruth base;
  private final Map<String, LedgerView> views;
  private final List<String> ledgers;
  private final Current current;

  /**
   * The ledger that is merged now.
   *
   * @param ledger its name
   * @param earlier what it had reopened at the snapshot that was merged before; null if that
   *     snapshot is gone
   * @param joinsAnew whether it begins after what the base table has of it
   */
  public record Current(String ledger, @Nullable ReopenedGranules earlier, boolean joinsAnew) {}

  /**
   * @param base the truth of the base table that the merge is based on
   * @param ledgers the names of all ledgers of the base table
   * @param views each ledger at the snapshot up to which it is merged after this commit; one that
   *     was never merged, or whose snapshot is gone, is left out
   * @param current which of them this commit merges
   */
  public BaseFinality(
      TableTruth base, List<String> ledgers, Map<String, LedgerView> views, Current current) {
    this.base = base;
    this.ledgers = List.copyOf(ledgers);
    this.views = Map.copyOf(views);
    this.current = current;
  }

  /**
   * Whether a ledger has come to begin, by its own word, after all that a base table has of it:
   * nobody read what is between. So it is where a ledger was made again, or lost its history.
   *
   * <p>One that began there from the start has lost nothing: a young ledger's watermark is below
   * its beginning, which is the first boundary after its first events.
   *
   * @param base the truth of the base table
   * @param view the ledger as it is now
   * @param last the same table at the snapshot that was merged last; null if that is gone
   * @param isSameTable whether it is known to be the table that was merged
   */
  public static boolean leavesGap(
      TableTruth base,
      String ledger,
      LedgerView view,
      @Nullable LedgerView last,
      boolean isSameTable) {
    Opinion opinion = view.opinion();
    WriterState before = base.opinion() == null ? null : base.opinion().writers().get(ledger);
    Long own = opinion == null ? null : opinion.watermark().fromMillis();
    Long merged = before == null ? null : before.watermarkMillis();
    if (opinion == null || own == null || merged == null || own <= merged) {
      return false;
    }
    if (last == null) {
      // Within one table only a reset lets the beginning rise.
      return !isSameTable || opinion.epoch() > 0;
    }
    Opinion then = last.opinion();
    Long known = then == null ? null : then.watermark().fromMillis();
    return known == null || known < own;
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
      WriterState known = joinsAnew(ledger) ? null : writers.get(ledger);
      writers.put(ledger, writer(views.get(ledger), known));
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
    Long published = base.watermarkMillis();
    if (from != null && published != null && isAnyBehind(writers, published)) {
      from = Math.max(from, published);
    }
    boolean joins = !ledgers.stream().allMatch(this::isMerged);
    return joins || known == null || from == null ? from : Long.valueOf(Math.min(known, from));
  }

  /** Whether an earlier merge took a watermark of the ledger over. */
  private boolean isMerged(String ledger) {
    Opinion before = base.opinion();
    WriterState writer = before == null ? null : before.writers().get(ledger);
    return writer != null && writer.watermarkMillis() != null && !joinsAnew(ledger);
  }

  private boolean joinsAnew(String ledger) {
    return current.joinsAnew() && current.ledger().equals(ledger);
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
   * What the base table says already, and what the ledger has reopened since it was merged last:
   * nothing is ever taken back, also where a ledger was retired, rolled back or made again. Where
   * that is not known, the greater of what all ledgers say and what the base table says.
   */
  private ReopenedGranules reopened() {
    Opinion before = base.opinion();
    LedgerView view = views.get(current.ledger());
    if (before != null && view != null && current.earlier() != null) {
      return sum(List.of(before.reopened(), since(current.earlier(), view.reopened())));
    }
    ReopenedGranules sum =
        sum(
            ledgers.stream()
                .map(views::get)
                .filter(Objects::nonNull)
                .map(LedgerView::reopened)
                .toList());
    return before == null ? sum : greater(sum, before.reopened());
  }

  /** What was reopened between two snapshots of a ledger; nothing where it went back. */
  private static ReopenedGranules since(ReopenedGranules earlier, ReopenedGranules now) {
    SortedMap<Long, ReopenedGranules.Reopened> news = new TreeMap<>();
    now.granules()
        .forEach(
            (start, one) -> {
              ReopenedGranules.Reopened known = earlier.of(start);
              int revisions = one.revision() - (known == null ? 0 : known.revision());
              long rows = one.rows() - (known == null ? 0 : known.rows());
              if (revisions > 0) {
                news.put(start, new ReopenedGranules.Reopened(Math.max(0, rows), revisions));
              }
            });
    long folded =
        earlier.granules().entrySet().stream()
            .filter(granule -> now.of(granule.getKey()) == null)
            .mapToLong(granule -> granule.getValue().rows())
            .sum();
    long older = now.olderRows() - earlier.olderRows() - folded;
    return new ReopenedGranules(news, Math.max(0, older));
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

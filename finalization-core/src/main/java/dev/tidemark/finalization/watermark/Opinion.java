package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.late.ReopenedGranules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a table says of its own completeness: every event with {@code from <= event time <
 * watermark} is in it. Immutable and thread-safe; changed only through {@link FinalizationEngine}
 * and the four operations of an administrator below.
 *
 * @param watermark the interval and what it rests on
 * @param policy the configuration of the writer that said so last
 * @param hold why the watermark stayed where it is; null if the commit moved it
 * @param epoch how often the opinion was reset after a rollback
 * @param bootstrapPending whether a bootstrap runs beside the stream
 * @param writers registered writers by name
 * @param reopened granules that got rows after they were final
 */
public record Opinion(
    FinalizationWatermark watermark,
    PolicyText policy,
    @Nullable Hold hold,
    int epoch,
    boolean bootstrapPending,
    SortedMap<String, WriterState> writers,
    ReopenedGranules reopened) {

  public Opinion {
    writers = Collections.unmodifiableSortedMap(new TreeMap<>(writers));
  }

  /** The opinion of a table that nobody has written yet. */
  public static Opinion initial(PolicyText policy) {
    return new Opinion(
        new FinalizationWatermark(null, null, policy.policy().evidence()),
        policy,
        Hold.of(Hold.Reason.NO_DATA),
        0,
        false,
        new TreeMap<>(),
        ReopenedGranules.NONE);
  }

  /** The watermark, exclusive; null before the first. */
  public @Nullable Long watermarkMillis() {
    return watermark.watermarkMillis();
  }

  /** With a writer registered, which holds the table until its first candidate. */
  public Opinion join(FinalizationConfig config) {
    if (writers.containsKey(config.writer())) {
      return this;
    }
    SortedMap<String, WriterState> joined = new TreeMap<>(writers);
    joined.put(config.writer(), WriterState.registered(config.policy()));
    return new Opinion(
        watermark,
        writers.isEmpty() ? config.policyText() : policy,
        writers.isEmpty()
            ? Hold.of(Hold.Reason.NO_DATA)
            : Hold.of(Hold.Reason.WRITER_BEHIND, List.of(config.writer())),
        epoch,
        bootstrapPending || config.bootstrapPending(),
        joined,
        reopened);
  }

  /**
   * Without a writer that will not come back; the watermark moves to the minimum of the others.
   *
   * @throws IllegalArgumentException if no such writer is registered
   */
  public Opinion retire(String writer) {
    if (!writers.containsKey(writer)) {
      throw new IllegalArgumentException(
          "Cannot retire writer \"" + writer + "\" (expected: one of " + writers.keySet() + ")");
    }
    SortedMap<String, WriterState> rest = new TreeMap<>(writers);
    rest.remove(writer);
    return new Opinion(watermark, policy, hold, epoch, bootstrapPending, rest, reopened)
        .published();
  }

  /**
   * With the bootstrap completed: its rows are in, so the opinion reaches down to where they begin.
   *
   * @param from every event at or after it is in the table; {@link Instant#EPOCH} for all
   */
  public Opinion completeBootstrap(Instant from) {
    Long current = watermark.fromMillis();
    long start = policy.granularity().ceil(from.toEpochMilli());
    long lowest = current == null ? start : Math.min(current, start);
    return new Opinion(
            new FinalizationWatermark(lowest, watermarkMillis(), watermark.evidence()),
            policy,
            hold,
            epoch,
            false,
            writers,
            reopened)
        .published();
  }

  /** After a rollback that is meant to stay: this opinion counts again, in a new epoch. */
  public Opinion reset() {
    return new Opinion(watermark, policy, null, epoch + 1, bootstrapPending, writers, reopened)
        .published();
  }

  /**
   * With what the newest commits of several writers say of themselves, where a store let them
   * commit at the same instant, so that none of them knew of the others. The watermark moves to the
   * least of them all, unless something else than a writer holds it.
   *
   * @param newest all writers that count, each as its own newest commit has it
   */
  public Opinion withNewest(SortedMap<String, WriterState> newest) {
    Opinion joined =
        new Opinion(watermark, policy, hold, epoch, bootstrapPending, newest, reopened);
    boolean waits = hold == null || hold.reason() == Hold.Reason.WRITER_BEHIND;
    return newest.equals(writers) || !waits ? joined : joined.published();
  }

  /**
   * The same while the table is rolled back: an administrator moves no watermark then, and ends no
   * hold.
   *
   * @param base the opinion that the change was made to
   */
  public Opinion whileRolledBack(Opinion base) {
    return with(
        new FinalizationWatermark(
            watermark.fromMillis(), base.watermarkMillis(), base.watermark.evidence()),
        Hold.of(Hold.Reason.ROLLED_BACK));
  }

  Opinion withHold(@Nullable Hold newHold) {
    return new Opinion(watermark, policy, newHold, epoch, bootstrapPending, writers, reopened);
  }

  Opinion with(FinalizationWatermark newWatermark, @Nullable Hold newHold) {
    return new Opinion(newWatermark, policy, newHold, epoch, bootstrapPending, writers, reopened);
  }

  /**
   * With the watermark at the minimum of all registered writers, where that is an advance; else
   * with the hold that says who is behind.
   */
  Opinion published() {
    if (bootstrapPending) {
      return withHold(Hold.of(Hold.Reason.BOOTSTRAP_PENDING));
    }
    Long current = watermarkMillis();
    Long least = null;
    Evidence evidence = Evidence.PROMISE;
    for (WriterState state : writers.values()) {
      Long own = state.watermarkMillis();
      if (own == null) {
        return withHold(laggards(current));
      }
      least = least == null ? own : Long.valueOf(Math.min(least, own));
      evidence = state.evidence() == Evidence.ESTIMATE ? Evidence.ESTIMATE : evidence;
    }
    if (least == null || (current != null && least <= current)) {
      return withHold(laggards(current));
    }
    return with(new FinalizationWatermark(watermark.fromMillis(), least, evidence), null);
  }

  /** The writers that keep the table where it is. */
  private @Nullable Hold laggards(@Nullable Long current) {
    List<String> names = new ArrayList<>();
    writers.forEach(
        (name, state) -> {
          Long own = state.watermarkMillis();
          if (own == null || (current != null && own <= current)) {
            names.add(name);
          }
        });
    return names.isEmpty() ? hold : Hold.of(Hold.Reason.WRITER_BEHIND, names);
  }
}

package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the coverage of a source allows: who is behind, who is idle, who has promised. */
final class SourceRules {
  /** A sample this recent counts as inside any window: commits may be closer than samples. */
  private static final long FRESH_SAMPLE_MILLIS = Duration.ofMinutes(1).toMillis();

  private final FinalizationConfig config;

  SourceRules(FinalizationConfig config) {
    this.config = config;
  }

  /**
   * The coverage of this commit with the time of each partition's last delivery: this commit's
   * where the position moved, else what the last commit knew. A partition that an abridged list
   * left out stood well then.
   */
  static @Nullable Coverage stamp(Situation situation, CommitWindow before, CommitWindow after) {
    Situation.Source source = situation.source();
    if (source == null) {
      return null;
    }
    SortedMap<String, PartitionProgress> stamped = new TreeMap<>();
    Coverage previous = source.previous();
    source
        .coverage()
        .partitions()
        .forEach(
            (name, progress) -> {
              PartitionProgress known = previous == null ? null : previous.partition(name);
              stamped.put(name, stamp(progress, known, previous, situation, before, after));
            });
    int expected = source.coverage().expected();
    if (previous != null) {
      previous.partitions().forEach(stamped::putIfAbsent);
      expected = Math.max(expected, previous.expected());
    }
    return new Coverage(stamped, Math.max(expected, stamped.size()));
  }

  private static PartitionProgress stamp(
      PartitionProgress progress,
      @Nullable PartitionProgress known,
      @Nullable Coverage previous,
      Situation situation,
      CommitWindow before,
      CommitWindow after) {
    Long next = progress.nextOffset();
    boolean atItsBeginning = next == null || next == 0;
    if (known == null && previous != null && previous.isAbridged()) {
      return atItsBeginning ? progress : progress.delivered(before.newestMillis(), before.total());
    }
    if (known == null) {
      boolean forgotten = previous == null && before.total() > 0;
      return atItsBeginning || forgotten
          ? progress
          : progress.delivered(situation.clock().nowMillis(), after.total());
    }
    PartitionProgress merged = progress.merge(known);
    Long reached = known.nextOffset();
    boolean moved = next != null && next > (reached == null ? 0 : reached);
    return moved ? merged.delivered(situation.clock().nowMillis(), after.total()) : merged;
  }

  /**
   * What holds an estimate back; null if every expected partition is accounted for. One that no
   * report has named yet is behind, without a name.
   */
  @Nullable Hold hold(Coverage coverage, WriterState state, Situation situation) {
    List<String> behind = new ArrayList<>();
    List<String> idle = new ArrayList<>();
    coverage
        .partitions()
        .forEach(
            (name, progress) -> {
              if (isDeliveredInWindow(progress, state.window())) {
                return;
              }
              if (progress.standsAtEnd() && isSampledInWindow(progress, state, situation)) {
                idle.add(name);
              } else {
                behind.add(name);
              }
            });
    if (!behind.isEmpty() || coverage.isAbridged()) {
      return Hold.of(Hold.Reason.SOURCE_BEHIND, behind);
    }
    boolean waits = config.idleRule() == FinalizationConfig.IdleRule.HOLD && !idle.isEmpty();
    return waits ? Hold.of(Hold.Reason.IDLE_SOURCE, idle) : null;
  }

  /**
   * The time to which a silent source lets time go on: the oldest sample less the timeout, if every
   * partition stands at its end and delivered nothing for so long before its sample, and no commit
   * since then held stream records, from wherever they came; else null.
   */
  @Nullable Long idleSince(Coverage coverage, CommitWindow window) {
    Duration timeout = config.idleTimeout();
    if (timeout == null || coverage.partitions().isEmpty() || coverage.isAbridged()) {
      return null;
    }
    long least = Long.MAX_VALUE;
    for (PartitionProgress progress : coverage.partitions().values()) {
      Long sampled = progress.sampledAtMillis();
      if (sampled == null || !progress.standsAtEnd()) {
        return null;
      }
      Long delivered = progress.deliveredAtMillis();
      if (delivered != null && delivered > sampled - timeout.toMillis()) {
        return null;
      }
      least = Math.min(least, sampled - timeout.toMillis());
    }
    return window.newestMillis() > least ? null : Long.valueOf(least);
  }

  /** Who has not promised anything yet; null if everybody has. */
  @Nullable Hold missingPromise(Coverage coverage) {
    List<String> behind = new ArrayList<>();
    List<String> idle = new ArrayList<>();
    coverage
        .partitions()
        .forEach(
            (name, progress) -> {
              if (progress.promisedMillis() == null) {
                (progress.standsAtEnd() ? idle : behind).add(name);
              }
            });
    if (!behind.isEmpty() || coverage.isAbridged()) {
      return Hold.of(Hold.Reason.SOURCE_BEHIND, behind);
    }
    return idle.isEmpty() ? null : Hold.of(Hold.Reason.IDLE_SOURCE, idle);
  }

  /** The least promise; every partition must have one. */
  static long leastPromise(Coverage coverage) {
    return coverage.partitions().values().stream()
        .mapToLong(progress -> Objects.requireNonNull(progress.promisedMillis()))
        .min()
        .orElseThrow();
  }

  /** The window is the newest commits that are as many, and span as much, as is asked. */
  private boolean isDeliveredInWindow(PartitionProgress progress, CommitWindow window) {
    Long commit = progress.deliveredCommit();
    Long time = progress.deliveredAtMillis();
    if (commit == null || time == null) {
      return false;
    }
    return commit > window.total() - config.lookbackCommits()
        || time >= window.newestMillis() - config.lookbackSpan().toMillis();
  }

  private boolean isSampledInWindow(
      PartitionProgress progress, WriterState state, Situation situation) {
    Long sampled = progress.sampledAtMillis();
    long span = Math.max(config.lookbackSpan().toMillis(), FRESH_SAMPLE_MILLIS);
    return sampled != null
        && (sampled >= state.window().startMillis()
            || sampled >= situation.clock().nowMillis() - FRESH_SAMPLE_MILLIS)
        && sampled >= situation.clock().nowMillis() - span;
  }
}

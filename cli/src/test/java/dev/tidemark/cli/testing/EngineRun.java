package dev.tidemark.cli.testing;

import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationEngine;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.Situation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table as the engine sees it, with a clock of its own: commits {@code c1}, {@code c2}, with the
 * properties that a store keeps, each decided on what the one before it says. Times are of 1
 * January 2026, UTC.
 */
public final class EngineRun {
  private final List<RecentCommit> commits = new ArrayList<>();
  private Instant now = at("11:00");

  /** An instant by its time of the day. */
  public static Instant at(String time) {
    return Instant.parse("2026-01-01T" + time + ":00Z");
  }

  /** Lets time pass. */
  public EngineRun after(Duration duration) {
    now = now.plus(duration);
    return this;
  }

  /** The next commit of a writer. */
  public Draft by(FinalizationConfig config) {
    return new Draft(config);
  }

  /** A commit of somebody who knows nothing of finalization. */
  public EngineRun foreign(Map<String, String> summary) {
    commits.add(new RecentCommit("c" + (commits.size() + 1), now.toEpochMilli(), summary));
    return this;
  }

  /** A commit of an administrator. */
  public EngineRun admin(UnaryOperator<Opinion> change) {
    return foreign(FinalizationProperties.write(change.apply(Objects.requireNonNull(opinion()))));
  }

  /** The commits, newest first. */
  public Stream<RecentCommit> newestFirst() {
    List<RecentCommit> newestFirst = new ArrayList<>(commits);
    Collections.reverse(newestFirst);
    return newestFirst.stream();
  }

  /** Forgets all but the newest commits, as expiry does. */
  public EngineRun expireAllBut(int kept) {
    commits.subList(0, commits.size() - kept).clear();
    return this;
  }

  /** The opinion of the newest commit that has one. */
  public @Nullable Opinion opinion() {
    return newestFirst()
        .flatMap(commit -> FinalizationProperties.readOpinion(commit.properties()).stream())
        .findFirst()
        .orElse(null);
  }

  /** What a reader is told now. */
  public TableFinality finality() {
    return finality(false);
  }

  /** What a reader is told now. */
  public TableFinality finality(boolean revoked, GranuleCounts... foreign) {
    RecentCommit newest = newestFirst().findFirst().orElseThrow();
    return new TableFinality(
        opinion(),
        revoked,
        newest.id(),
        new ForeignRows(List.of(foreign)),
        Duration.ofMillis(now.toEpochMilli() - newest.timestampMillis()));
  }

  private @Nullable Coverage coverageOf(String writer) {
    return newestFirst()
        .filter(c -> writer.equals(c.properties().get(FinalizationProperties.WRITER)))
        .findFirst()
        .flatMap(commit -> FinalizationProperties.readCoverage(commit.properties()))
        .orElse(null);
  }

  /** A commit before it is made. */
  public final class Draft {
    private final FinalizationConfig config;
    private final AccumulatorSet<Long> counting;
    private final Accumulators<Long> accumulators;
    private final TreeMap<String, PartitionProgress> partitions = new TreeMap<>();
    private boolean rolledBack;
    private boolean foreignUnknown;
    private final List<GranuleCounts> foreignRows = new ArrayList<>();

    private Draft(FinalizationConfig config) {
      this.config = config;
      this.accumulators =
          new Accumulators<>(
              List.of(
                  new EventTimeAccumulatorFactory<Long>(
                      time -> time, config.granularity(), EventTimeBounds.DEFAULT)));
      this.counting = accumulators.create();
    }

    /** Rows of these times of the day. */
    public Draft rows(String... times) {
      for (String time : times) {
        counting.add(at(time).toEpochMilli());
      }
      return this;
    }

    /** Where a partition stands, with an end offset sampled now. */
    public Draft partition(String name, long next, long end, @Nullable String lastEvent) {
      Long max = lastEvent == null ? null : Long.valueOf(at(lastEvent).toEpochMilli());
      partitions.put(
          name,
          PartitionProgress.at(next, max).merge(PartitionProgress.end(end, now.toEpochMilli())));
      return this;
    }

    /** A partition at its end whose source has vouched for everything before this time. */
    public Draft promised(String name, long next, String time) {
      partition(name, next, next, null);
      PartitionProgress known = Objects.requireNonNull(partitions.get(name));
      partitions.put(name, known.promising(at(time).toEpochMilli()));
      return this;
    }

    /** The mirror shows more than the ancestry. */
    public Draft rolledBack() {
      rolledBack = true;
      return this;
    }

    /** Rows of others whose event times are not known. */
    public Draft foreignUnknown() {
      foreignUnknown = true;
      return this;
    }

    /** Rows of others below the watermark. */
    public Draft foreignRows(String granule, long rows) {
      foreignRows.add(GranuleCounts.of(new TreeMap<>(Map.of(at(granule).toEpochMilli(), rows))));
      return this;
    }

    /** Decides and commits; a minute passes. */
    public EngineRun commit() {
      EventTimeFacts facts =
          new EventTimeFacts.Codec()
              .decode(
                  Objects.requireNonNull(
                      accumulators.merge(List.of(counting.drain())).values().iterator().next()));
      Situation.Source source =
          partitions.isEmpty()
              ? null
              : new Situation.Source(Coverage.of(partitions), coverageOf(config.writer()));
      Long parent =
          commits.isEmpty()
              ? null
              : Long.valueOf(commits.get(commits.size() - 1).timestampMillis());
      Outcome outcome =
          new FinalizationEngine(config)
              .decide(
                  new Situation(
                      opinion(),
                      facts,
                      source,
                      new Situation.CommitClock(now.toEpochMilli(), parent),
                      new Situation.Signals(
                          rolledBack, false, new ForeignRows(foreignRows), foreignUnknown)));
      String id = "c" + (commits.size() + 1);
      Map<String, String> properties =
          new LinkedHashMap<>(FinalizationProperties.identity(config.writer(), id));
      properties.putAll(EventTimeProperties.write(facts));
      properties.putAll(FinalizationProperties.write(outcome));
      commits.add(new RecentCommit(id, now.toEpochMilli(), properties));
      return after(Duration.ofMinutes(1));
    }
  }
}

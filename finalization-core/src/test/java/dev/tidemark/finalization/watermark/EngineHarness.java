package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.eventtime.EventTimeAccumulator;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.testing.TestingClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table as the engine sees it: a chain of commits, each with the properties that its opinion was
 * written to. The truth of a commit is read back from the properties of the one before it, as a
 * sink does, so every test of the engine tests the text forms too. Not thread-safe.
 */
final class EngineHarness {
  private static final EventTimeExtractor<Long> TIME = time -> time;

  /** One commit of the table. */
  private record Commit(Map<String, String> properties, @Nullable String writer, long millis) {}

  final TestingClock clock;
  private final List<Commit> commits = new ArrayList<>();

  private EngineHarness(Instant now) {
    this.clock = new TestingClock(now);
  }

  /** An empty table; the clock stands at this time. */
  static EngineHarness at(String now) {
    return new EngineHarness(Instant.parse(now));
  }

  /** A writer with this configuration. */
  Writer writer(FinalizationConfig config) {
    return new Writer(config);
  }

  /** Moves the clock. */
  EngineHarness after(String duration) {
    clock.advance(Duration.parse(duration));
    return this;
  }

  /** Sets the clock. */
  EngineHarness at(Instant now) {
    clock.set(now);
    return this;
  }

  /** The opinion on the ancestry of the head. */
  @Nullable Opinion truth() {
    for (int i = commits.size() - 1; i >= 0; i--) {
      var opinion = FinalizationProperties.readOpinion(commits.get(i).properties());
      if (opinion.isPresent()) {
        return opinion.get();
      }
    }
    return null;
  }

  Opinion opinion() {
    return Objects.requireNonNull(truth(), "the table has no opinion");
  }

  /** The table's watermark as text; {@code none} before the first. */
  String watermark() {
    Opinion truth = truth();
    Long millis = truth == null ? null : truth.watermarkMillis();
    return millis == null ? "none" : Instant.ofEpochMilli(millis).toString();
  }

  String from() {
    Opinion truth = truth();
    Long millis = truth == null ? null : truth.watermark().fromMillis();
    return millis == null ? "none" : Instant.ofEpochMilli(millis).toString();
  }

  String hold() {
    return String.valueOf(opinion().hold());
  }

  int size() {
    return commits.size();
  }

  /** The table goes back to how it was after so many commits. */
  void rollBackTo(int size) {
    commits.subList(size, commits.size()).clear();
  }

  /** A compaction or an append of somebody else: it carries nothing of ours. */
  EngineHarness foreignCommit() {
    commits.add(new Commit(Map.of("operation", "replace"), null, clock.millis()));
    return this;
  }

  /** An administrator's commit that carries this opinion. */
  EngineHarness publish(Opinion opinion) {
    commits.add(new Commit(FinalizationProperties.write(opinion), null, clock.millis()));
    return this;
  }

  private @Nullable Long parentMillis() {
    return commits.isEmpty() ? null : Long.valueOf(commits.get(commits.size() - 1).millis());
  }

  private @Nullable Coverage coverageOf(String writer) {
    for (int i = commits.size() - 1; i >= 0; i--) {
      if (writer.equals(commits.get(i).writer())) {
        return FinalizationProperties.readCoverage(commits.get(i).properties()).orElse(null);
      }
    }
    return null;
  }

  /** One writer of the table. */
  final class Writer {
    private final FinalizationConfig config;
    private final FinalizationEngine engine;
    private final EventTimeAccumulator<Long> accumulator;

    private Writer(FinalizationConfig config) {
      this.config = config;
      this.engine = new FinalizationEngine(config);
      this.accumulator =
          new EventTimeAccumulator<>(TIME, config.granularity(), EventTimeBounds.DEFAULT, clock);
    }

    /** Writes records of these times. */
    Draft with(String... times) {
      for (String time : times) {
        accumulator.add(Instant.parse(time).toEpochMilli());
      }
      return draft();
    }

    /** Writes records of these times. */
    Draft withMillis(long... times) {
      for (long time : times) {
        accumulator.add(time);
      }
      return draft();
    }

    /** Writes nothing. */
    Draft empty() {
      return draft();
    }

    /** A commit of these facts. */
    Draft facts(EventTimeFacts facts) {
      return new Draft(this, facts);
    }

    private Draft draft() {
      EventTimeFacts facts = accumulator.snapshot();
      accumulator.reset();
      return new Draft(this, facts);
    }
  }

  /** A commit before it is made. */
  final class Draft {
    private final Writer writer;
    private final EventTimeFacts facts;
    private final TreeMap<String, PartitionProgress> partitions = new TreeMap<>();
    private boolean rolledBack;
    private boolean inputEnded;
    private final List<GranuleCounts> foreignRows = new ArrayList<>();
    private boolean foreignUnknown;

    private Draft(Writer writer, EventTimeFacts facts) {
      this.writer = writer;
      this.facts = facts;
    }

    /** Where a partition stands, with an end offset sampled now. */
    Draft partition(String name, long next, long end) {
      return partition(name, next, end, Duration.ZERO);
    }

    /** Where a partition stands, with an end offset sampled so long ago. */
    Draft partition(String name, long next, long end, Duration age) {
      partitions.put(
          name,
          PartitionProgress.at(next, null)
              .merge(PartitionProgress.end(end, clock.millis() - age.toMillis())));
      return this;
    }

    /** A partition of which only its existence is known. */
    Draft partition(String name) {
      partitions.put(name, PartitionProgress.UNKNOWN);
      return this;
    }

    /** A partition at its end whose source has vouched for everything before this time. */
    Draft promised(String name, long next, String time) {
      partition(name, next, next);
      PartitionProgress known = Objects.requireNonNull(partitions.get(name));
      partitions.put(name, known.promising(Instant.parse(time).toEpochMilli()));
      return this;
    }

    Draft coverage(Coverage coverage) {
      partitions.putAll(coverage.partitions());
      return this;
    }

    Draft rolledBack() {
      rolledBack = true;
      return this;
    }

    Draft inputEnded() {
      inputEnded = true;
      return this;
    }

    Draft foreignRows(String granule, long rows) {
      foreignRows.add(
          GranuleCounts.of(new TreeMap<>(Map.of(Instant.parse(granule).toEpochMilli(), rows))));
      return this;
    }

    Draft foreignUnknown() {
      foreignUnknown = true;
      return this;
    }

    /** Decides on the truth as it is now, without a commit; may be asked again. */
    Outcome decide() {
      Situation.Source source =
          partitions.isEmpty()
              ? null
              : new Situation.Source(Coverage.of(partitions), coverageOf(writer.config.writer()));
      return writer.engine.decide(
          new Situation(
              truth(),
              facts,
              source,
              new Situation.CommitClock(clock.millis(), parentMillis()),
              new Situation.Signals(
                  rolledBack, inputEnded, new ForeignRows(foreignRows), foreignUnknown)));
    }

    /** Decides and commits. */
    Done commit() {
      Outcome outcome = decide();
      Map<String, String> properties = FinalizationProperties.write(outcome);
      commits.add(new Commit(properties, writer.config.writer(), clock.millis()));
      if (outcome.opinion().writers().size() == 1) {
        assertThat(FinalizationProperties.readOpinion(properties)).hasValue(outcome.opinion());
      }
      return new Done(outcome);
    }
  }

  /** A commit that was made. */
  record Done(Outcome outcome) {

    Done advancedTo(String time) {
      assertThat(outcome.decision())
          .isEqualTo(new Decision.Advance(Instant.parse(time).toEpochMilli()));
      assertThat(outcome.opinion().hold()).isNull();
      return this;
    }

    /** Held for this reason, with the names in brackets. */
    Done heldBy(String hold) {
      assertThat(outcome.decision()).isEqualTo(new Decision.Stay(Hold.parse(hold)));
      assertThat(outcome.opinion().hold()).hasToString(hold);
      return this;
    }

    Done late(LateDataReport.Cause cause, Map<String, Long> rowsByGranule) {
      TreeMap<Long, Long> rows = new TreeMap<>();
      rowsByGranule.forEach((time, count) -> rows.put(Instant.parse(time).toEpochMilli(), count));
      assertThat(outcome.late())
          .filteredOn(report -> report.cause() == cause)
          .singleElement()
          .extracting(LateDataReport::rows)
          .isEqualTo(GranuleCounts.of(rows));
      return this;
    }

    Done nothingLate() {
      assertThat(outcome.late()).isEmpty();
      return this;
    }
  }
}

package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.coverage.PromiseTracker;
import dev.tidemark.finalization.coverage.SourceReport;
import dev.tidemark.finalization.coverage.Vouch;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A database behind a log of several partitions, whose truth is known: every event that it wrote.
 * Its readers lag, stall and restart, partitions appear, heartbeats come now and then. Under {@code
 * source-promise} no event may ever be read after its hour was final.
 */
class PromiseSimulationTest {
  private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
  private static final int TICKS = 250;
  private static final long TICK = Duration.ofMinutes(2).toMillis();

  /** One record of the log; a heartbeat carries the time of the promise that it makes. */
  private record Entry(long time, boolean heartbeat) {}

  /** A partition, and how far its reader has come. */
  private static final class Partition {
    private final List<Entry> log = new ArrayList<>();
    private int read;
    private int committed;
    private int stalledUntil;
  }

  /** What one run saw. */
  private record Run(int advances, int falseFinals, int restarts, int appeared) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 65, 80})
  void aPromiseIsNeverFalse(int partitionsAtStart) {
    Random random = Seeds.random("PromiseSimulation " + partitionsAtStart);
    int advances = 0;
    int restarts = 0;
    int appeared = 0;
    for (int history = 0; history < (partitionsAtStart == 1 ? 40 : 6); history++) {
      Run run = run(random, partitionsAtStart);
      assertThat(run.falseFinals()).as("history %s", history).isZero();
      advances += run.advances();
      restarts += run.restarts();
      appeared += run.appeared();
    }
    assertThat(advances).as("hours that became final").isGreaterThan(10);
    assertThat(restarts).isPositive();
    assertThat(appeared).isPositive();
  }

  /** The same world does make an estimate false that knows nothing of the partitions. */
  @Test
  void anEstimateIsFalseInTheSameWorld() {
    Random random = Seeds.random("PromiseSimulation estimate");
    int falseFinals = 0;
    for (int history = 0; history < 10; history++) {
      falseFinals +=
          new World(
                  random,
                  3,
                  false,
                  FinalizationConfig.forWriter("orders")
                      .lookback(1, Duration.ZERO)
                      .readFromBeginning()
                      .build())
              .play()
              .falseFinals();
    }
    assertThat(falseFinals).isPositive();
  }

  private static Run run(Random random, int partitions) {
    FinalizationConfig config =
        FinalizationConfig.forWriter("orders")
            .policy(FinalizationPolicy.SOURCE_PROMISE)
            .coverageExpected()
            .readFromBeginning()
            .build();
    return new World(random, partitions, true, config).play();
  }

  private static final class World {
    private final Random random;
    private final boolean covered;
    private final TreeMap<String, Partition> partitions = new TreeMap<>();
    private final EngineHarness table = EngineHarness.at(Instant.ofEpochMilli(START).toString());
    private final EngineHarness.Writer writer;
    private PromiseTracker tracker = new PromiseTracker();
    private int advances;
    private int falseFinals;
    private int restarts;
    private int appeared;
    private int silentUntil;

    World(Random random, int count, boolean covered, FinalizationConfig config) {
      this.random = random;
      this.covered = covered;
      this.writer = table.writer(config);
      for (int i = 0; i < count; i++) {
        partitions.put("t-" + i, new Partition());
      }
    }

    Run play() {
      for (int tick = 0; tick < TICKS; tick++) {
        table.after("PT2M");
        produce();
        if (random.nextInt(60) == 0 && partitions.size() < 90) {
          partitions.put("t-" + partitions.size(), new Partition());
          appeared++;
        }
        if (random.nextInt(40) == 0) {
          restart(tick);
        }
        commit(tick);
      }
      return new Run(advances, falseFinals, restarts, appeared);
    }

    /** Everything that the database did since the last tick, in the order of its own time. */
    private void produce() {
      long now = table.clock.millis();
      List<Partition> all = List.copyOf(partitions.values());
      for (long time = now - TICK; time < now; time += 1 + random.nextInt(40_000)) {
        all.get(random.nextInt(all.size())).log.add(new Entry(time, false));
      }
      if (random.nextInt(4) == 0) {
        all.get(random.nextInt(all.size())).log.add(new Entry(now, true));
      }
    }

    /**
     * The job fails: what was kept in memory is gone, and a third of the readers come back late.
     */
    private void restart(int tick) {
      silentUntil = tick + random.nextInt(60);
      restarts++;
      tracker = new PromiseTracker();
      partitions.values().forEach(partition -> partition.read = partition.committed);
    }

    private void commit(int tick) {
      Opinion truth = table.truth();
      Long watermark = truth == null ? null : truth.watermarkMillis();
      List<Long> times = new ArrayList<>();
      List<SourceReport> reports = new ArrayList<>();
      partitions.forEach(
          (name, partition) -> {
            boolean silent = tick < silentUntil && (name.hashCode() + restarts) % 3 == 0;
            if (!silent) {
              reports.add(read(name, partition, tick, times));
            }
          });
      for (long time : times) {
        falseFinals += watermark != null && time < watermark ? 1 : 0;
      }
      long[] millis = times.stream().mapToLong(Long::longValue).toArray();
      Coverage coverage = tracker.accept(reports);
      EngineHarness.Draft draft = writer.withMillis(millis);
      if (covered) {
        draft.coverage(coverage);
      }
      Outcome outcome = draft.commit().outcome();
      partitions.values().forEach(partition -> partition.committed = partition.read);
      advances += outcome.decision() instanceof Decision.Advance ? 1 : 0;
    }

    private SourceReport read(String name, Partition partition, int tick, List<Long> times) {
      if (random.nextInt(50) == 0) {
        partition.stalledUntil = tick + random.nextInt(60);
      }
      List<Vouch> vouches = new ArrayList<>();
      int most = tick < partition.stalledUntil ? 0 : random.nextInt(1 + partition.log.size());
      for (; partition.read < partition.log.size() && most > 0; most--) {
        Entry entry = partition.log.get(partition.read++);
        if (entry.heartbeat()) {
          vouches.add(Vouch.of(entry.time(), endOffsets()));
        } else {
          times.add(entry.time());
        }
      }
      Map<String, PartitionProgress> known = new HashMap<>();
      known.put(
          name,
          PartitionProgress.at(partition.read, null)
              .merge(PartitionProgress.end(partition.log.size(), table.clock.millis())));
      return new SourceReport(Coverage.of(known), vouches);
    }

    private Map<String, Long> endOffsets() {
      Map<String, Long> ends = new HashMap<>();
      partitions.forEach((name, partition) -> ends.put(name, (long) partition.log.size()));
      return ends;
    }
  }
}

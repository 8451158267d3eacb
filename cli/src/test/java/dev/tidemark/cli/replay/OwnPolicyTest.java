package dev.tidemark.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.testing.Seeds;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TestCatalog;
import dev.tidemark.iceberg.TestFiles;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real table, replayed with the policy that it has, gives the watermarks that it published. */
class OwnPolicyTest {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestCatalog catalog;

  @BeforeEach
  void open() {
    catalog = TestCatalog.hadoop(directory);
  }

  @Test
  void oneWriterWithLateRowsAndHolds() {
    Table table = catalog.create("events");
    EventWriter writer = EventWriter.start(table, config("orders", FinalizationPolicy.MIN, 2));
    writer.write("10:00", "10:30");
    writer.write("11:10", "11:20");
    writer.write("12:30", "09:15");
    writer.write("12:40");
    writer.write("13:50");
    writer.writeNothing(true);
    writer.write("15:50");

    StoredHistory history = history("events");
    assertReproduced(history);
    assertThat(history.gaps().isWhole()).isTrue();
    assertThat(holds(history))
        .contains(Hold.Reason.WARM_UP, Hold.Reason.INSIDE_GRANULE, Hold.Reason.LATE_DATA);
    assertThat(late(history)).isEqualTo(1);
  }

  @Test
  void foreignCommitsBetween() {
    Table table = catalog.create("events");
    EventWriter writer = EventWriter.start(table, config("orders", FinalizationPolicy.MIN, 1));
    writer.write("10:00");
    TestFiles.append(catalog.load("events"), TestFiles.of(catalog.load("events"), "09:00"));
    writer.write("12:05");
    Table other = catalog.load("events");
    TestFiles.append(other, TestFiles.withoutBounds(other, 7));
    writer.write("13:05");
    writer.write("14:05");

    StoredHistory history = history("events");
    assertReproduced(history);
    assertThat(history.gaps().foreign()).isEqualTo(2);
    assertThat(history.gaps().foreignRows()).isEqualTo(8);
    assertThat(holds(history)).contains(Hold.Reason.FOREIGN_COMMIT);
  }

  @Test
  void writerThatRetiresAndOneThatReads() {
    EventWriter a = EventWriter.start(catalog.create("events"), EventWriter.config("a").build());
    EventWriter b = EventWriter.start(catalog.load("events"), EventWriter.config("b").build());
    b.write("08:05");
    a.write("10:05");
    FinalizationAdmin.of(catalog.load("events")).retire("b");
    a.write("12:05");
    b.write("11:05");
    a.write("13:05");

    assertReproduced(history("events"));
    assertThat(holds(history("events"))).contains(Hold.Reason.WRITER_BEHIND);
  }

  @Test
  void bootstrapThatIsCompleted() {
    EventWriter writer =
        EventWriter.start(
            catalog.create("events"),
            FinalizationConfig.forWriter("orders")
                .lookback(1, Duration.ZERO)
                .bootstrapPending()
                .build());
    writer.write("10:05");
    writer.write("11:05");
    FinalizationAdmin.of(catalog.load("events")).completeBootstrap(Instant.EPOCH);
    writer.write("12:05");

    assertReproduced(history("events"));
    assertThat(holds(history("events"))).contains(Hold.Reason.BOOTSTRAP_PENDING);
  }

  @Test
  void rollbackAndReset() {
    EventWriter writer =
        EventWriter.start(catalog.create("events"), config("orders", FinalizationPolicy.MIN, 1));
    writer.write("10:05");
    Table table = catalog.load("events");
    long kept = table.currentSnapshot().snapshotId();
    writer.write("12:05");
    table.refresh();
    table.manageSnapshots().rollbackTo(kept).commit();
    writer.write("13:05");
    EventWriter.start(catalog.load("events"), config("late", FinalizationPolicy.MIN, 1));
    writer.write("13:35");
    FinalizationAdmin.of(catalog.load("events")).retire("late");
    FinalizationAdmin.of(catalog.load("events")).reset();
    writer.write("14:05");

    assertReproduced(history("events"));
    assertThat(holds(history("events"))).contains(Hold.Reason.ROLLED_BACK);
  }

  @Test
  void inputThatEnds() {
    EventWriter writer =
        EventWriter.start(catalog.create("events"), config("orders", FinalizationPolicy.MIN, 4));
    writer.write("10:05", "09:00");
    writer.write("11:05", "11:06");
    writer.end();

    assertReproduced(history("events"));
    assertThat(history("events").newest().watermarkMillis()).isEqualTo(TestFiles.at("12:00"));
  }

  @Test
  void historyWhoseBeginningHasExpired() {
    Table table = catalog.create("events");
    EventWriter writer = EventWriter.start(table, config("orders", FinalizationPolicy.MIN, 3));
    for (int hour = 1; hour < 20; hour++) {
      writer.write(String.format("%02d:10", hour), String.format("%02d:50", hour - 1));
    }
    Table other = catalog.load("events");
    other.expireSnapshots().expireOlderThan(System.currentTimeMillis()).retainLast(9).commit();

    StoredHistory history = history("events");
    assertThat(history.commits()).hasSize(9);
    assertThat(history.gaps().isWhole()).isFalse();
    assertReproduced(history);
    assertThat(
            EngineReplay.run(history, Trial.of(history.newest().policy())).stream()
                .map(Step::after))
        .as("named, not taken from the commits")
        .isEqualTo(history.commits().stream().map(c -> c.after().watermarkMillis()).toList());
  }

  @Test
  void writerThatChangesItsPolicyAndWindow() {
    Table table = catalog.create("events");
    FinalizationPolicy bounded = FinalizationPolicy.boundedLateness(Duration.ofMinutes(70));
    EventWriter first = EventWriter.start(table, config("orders", FinalizationPolicy.MIN, 3));
    first.write("08:05");
    first.write("09:05");
    first.write("10:05");
    first.write("11:05");
    EventWriter second = EventWriter.start(catalog.load("events"), config("orders", bounded, 2));
    second.write("11:40");
    second.write("12:30");
    second.write("14:30");

    assertReproduced(history("events"));
  }

  @Test
  void promisesAndWhoIsIdleOrBehind() {
    for (String policy : List.of("min", "source-promise")) {
      for (FinalizationConfig.IdleRule rule : FinalizationConfig.IdleRule.values()) {
        String name = "events_" + policy.length() + rule;
        EventWriter writer =
            EventWriter.start(
                catalog.create(name),
                FinalizationConfig.forWriter("orders")
                    .policy(FinalizationPolicy.parse(policy))
                    .lookback(2, Duration.ZERO)
                    .idleRule(rule)
                    .readFromBeginning()
                    .coverageExpected()
                    .build());
        writer.report(coverage(1, 5, "08:10", 0, 4, null), "08:20");
        writer.report(coverage(3, 5, "09:10", 4, 4, "08:40"), "09:20");
        writer.report(coverage(5, 5, "10:10", 4, 4, "09:40"), "10:20");
        writer.report(coverage(7, 7, "11:10", 4, 4, "10:40"), "11:20");
        writer.report(coverage(8, 9, "12:10", 4, 4, "10:50"), "12:20");
        writer.report(coverage(9, 9, "13:10", 4, 4, "12:40"));
        writer.report(coverage(10, 10, "14:10", 4, 4, "13:40"), "14:20");

        assertReproduced(history(name));
      }
    }
  }

  @Test
  void anythingInAnyOrder() {
    Random random = Seeds.random("OwnPolicy anything");
    Set<Hold.Reason> seen = EnumSet.noneOf(Hold.Reason.class);
    for (int round = 0; round < 2; round++) {
      String name = "random" + round;
      play(name, random);
      StoredHistory history = history(name);
      assertReproduced(history);
      seen.addAll(holds(history));
    }
    assertThat(seen).contains(Hold.Reason.INSIDE_GRANULE, Hold.Reason.WRITER_BEHIND);
  }

  private void play(String name, Random random) {
    List<FinalizationPolicy> policies =
        List.of(
            FinalizationPolicy.MIN,
            FinalizationPolicy.quantile(0.2),
            FinalizationPolicy.boundedLateness(Duration.ofMinutes(20)));
    catalog.create(name);
    Map<String, EventWriter> writers = new TreeMap<>();
    long time = TestFiles.at("06:00");
    for (int i = 0; i < 40; i++) {
      time += random.nextInt(1_200_000);
      String writer = "w" + random.nextInt(3);
      int dice = random.nextInt(20);
      if (dice == 0 && writers.size() > 1 && writers.containsKey(writer)) {
        FinalizationAdmin.of(catalog.load(name)).retire(writer);
        writers.remove(writer);
      } else if (dice == 1) {
        Table other = catalog.load(name);
        TestFiles.append(other, TestFiles.of(other, List.of(time - random.nextInt(9_000_000))));
      } else if (dice == 2 && writers.containsKey(writer)) {
        Objects.requireNonNull(writers.get(writer)).writeNothing(true);
      } else {
        writers
            .computeIfAbsent(
                writer,
                w ->
                    EventWriter.start(
                        catalog.load(name),
                        config(w, policies.get(random.nextInt(3)), 1 + random.nextInt(4))))
            .write(times(time, random));
      }
    }
  }

  private static List<Long> times(long now, Random random) {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(30); i++) {
      times.add(now - random.nextInt(600_000) - (random.nextInt(40) == 0 ? 7_200_000 : 0));
    }
    return times;
  }

  private static Coverage coverage(
      long next,
      long end,
      String promise,
      long otherNext,
      long otherEnd,
      @Nullable String otherPromise) {
    return Coverage.of(
        Map.of(
            "events-0", at(next, end, promise), "events-1", at(otherNext, otherEnd, otherPromise)));
  }

  private static PartitionProgress at(long next, long end, @Nullable String promise) {
    return PartitionProgress.at(next, null)
        .merge(PartitionProgress.end(end, System.currentTimeMillis()))
        .promising(promise == null ? null : Long.valueOf(TestFiles.at(promise)));
  }

  private static FinalizationConfig config(String writer, FinalizationPolicy policy, int lookback) {
    return EventWriter.config(writer).policy(policy).lookback(lookback, Duration.ZERO).build();
  }

  private StoredHistory history(String name) {
    return StoredHistory.read(IcebergHistory.of(catalog.load(name), "main").newestFirst());
  }

  private static void assertReproduced(StoredHistory history) {
    List<Step> steps = EngineReplay.run(history, Trial.AS_PUBLISHED);
    assertThat(steps).hasSameSizeAs(history.commits());
    for (Step step : steps) {
      assertThat(step.after())
          .as("watermark of %s, %s", step.commit().made(), step.commit().after())
          .isEqualTo(step.commit().after().watermarkMillis());
      assertThat(step.hold())
          .as("hold of %s", step.commit().made())
          .isEqualTo(step.commit().after().hold());
    }
    PolicyText own = history.newest().policy();
    assertThat(Replay.run(history, Trial.AS_PUBLISHED, 0).check().different())
        .as("%s", own)
        .isZero();
  }

  private static Set<Hold.Reason> holds(StoredHistory history) {
    Set<Hold.Reason> reasons = EnumSet.noneOf(Hold.Reason.class);
    for (HistoryCommit commit : history.commits()) {
      Hold hold = commit.after().hold();
      if (hold != null) {
        reasons.add(hold.reason());
      }
    }
    return reasons;
  }

  private static long late(StoredHistory history) {
    return Replay.run(history, Trial.AS_PUBLISHED, 0).replayed().figures().late().estimate();
  }
}

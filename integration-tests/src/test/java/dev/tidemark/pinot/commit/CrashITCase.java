package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.row;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A crash before each step of a commit, and a new committer that gets the same commit again. */
class CrashITCase {
  private static final long HOUR = 3_600_000L;
  private static final long DAY = TestLoad.RUN_START - 24 * HOUR;

  @TempDir Path directory;

  @Test
  void offlineCommitIsExactlyOnceWhereverItCrashes() throws Exception {
    int steps = crashAtEachStep(this::offline);
    assertThat(steps).isGreaterThanOrEqualTo(9);
  }

  @Test
  void upsertCommitIsExactlyOnceWhereverItCrashes() throws Exception {
    EmbeddedKafka kafka = SharedKafka.get();
    kafka.createTopic("crash", 1);
    Map<String, String> stream = SharedPinot.get().jsonFromKafka(kafka.bootstrapServers(), "crash");
    int steps = crashAtEachStep(step -> upsert(step, stream));
    assertThat(steps).isGreaterThanOrEqualTo(9);
  }

  private interface Loads {
    TestLoad at(int step) throws Exception;
  }

  /** Crashes before the first step, before the second, and so on, until a commit goes through. */
  private int crashAtEachStep(Loads loads) throws Exception {
    for (int step = 1; ; step++) {
      TestLoad load = loads.at(step);
      List<CommitStep> passed = crashAndRecover(load, step);
      SharedPinot.get().tables().drop(load.table.nameWithType());
      if (passed.size() < step) {
        return passed.size();
      }
    }
  }

  private List<CommitStep> crashAndRecover(TestLoad load, int step) throws Exception {
    Run run = run("crash");
    Integer partition = load.table.nameWithType().endsWith("REALTIME") ? 0 : null;
    PinotPlan plan = load.finalizing(b -> b);
    PinotTableCommitter first = load.committer(plan);
    first.publish(commit(load, run, 1, partition, 0, 1));

    PinotCommit second = commit(load, run, 2, partition, 2, 3, 4);
    CrashAt crash = new CrashAt(step);
    try {
      load.committer(plan, crash).publish(second);
    } catch (CrashAt.Crash e) {
      load.committer(plan).publish(TestLoad.again(second));
    }

    assertThat(load.number("SELECT COUNT(*) FROM " + load.table.rawName()))
        .describedAs("after a crash before step %s of %s", step, crash.passed())
        .isEqualTo(5);
    assertThat(second.segments()).noneMatch(load::isStaged);
    assertThat(carriers(load)).hasSize(2);
    TableFinality finality =
        PinotFinality.of(load.table, load.controller, Clock.systemUTC()).read();
    assertThat(finality.revoked()).isFalse();
    assertThat(Objects.requireNonNull(finality.opinion()).watermarkMillis())
        .isEqualTo(DAY + 2 * HOUR);
    return crash.passed();
  }

  private static List<String> carriers(TestLoad load) {
    List<String> carriers = new ArrayList<>();
    for (SegmentInfo info : load.controller.allSegments(load.table).values()) {
      if (info.customMap().containsKey(PinotProperties.COMMIT_TIME_MS)) {
        carriers.add(info.name());
      }
    }
    return carriers;
  }

  private static PinotCommit commit(
      TestLoad load, Run run, long checkpoint, @Nullable Integer partition, int... hours)
      throws Exception {
    List<GenericRow> all = new ArrayList<>();
    List<StagedSegment> segments = new ArrayList<>();
    for (int hour : hours) {
      GenericRow row = row("id", "k" + hour, "v", hour, "ts", DAY + hour * HOUR);
      all.add(row);
      segments.add(load.segment(run, hour, partition, List.of(row)));
    }
    return load.commit(
        run, checkpoint, false, TestLoad.facts(all), segments.toArray(StagedSegment[]::new));
  }

  private TestLoad offline(int step) throws Exception {
    String name = "crash_off_" + step;
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
  }

  private TestLoad upsert(int step, Map<String, String> stream) throws Exception {
    String name = "crash_up_" + step;
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfU(name, stream), directory);
  }
}

package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.DAY;
import static dev.tidemark.pinot.commit.TestLoad.HOUR;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Segments that are gone from a real Pinot, deleted as retention deletes them: told from a loss by
 * the times that commits record, by the table's retention, and by its tasks.
 */
class LossesITCase {
  private static final AtomicInteger TABLES = new AtomicInteger();

  /** Longer than Pinot's own clock lets expire: its retention must not come in between. */
  private static final long RETENTION_DAYS =
      Duration.ofMillis(System.currentTimeMillis() - DAY).toDays() + 10;

  @TempDir Path directory;

  @Test
  void expiredSegmentsOfEarlierCommitsAreNoLoss() throws Exception {
    TestLoad load = table();
    Run run = run("old");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    PinotCommit first = load.hours(run, 1, false, 1, 2);
    committer.publish(first);
    committer.publish(load.hours(run, 2, false, 10, 11));
    committer.publish(load.hours(run, 3, false, 20, 21));
    retain(load);

    load.delete(first.segments().get(0).name());
    assertThat(at(load, 24).revoked()).describedAs("hour 1 is not expired yet").isTrue();
    assertThat(at(load, 26).revoked()).isFalse();
    load.delete(first.segments().get(1).name());
    TableFinality finality = at(load, 27);
    assertThat(finality.revoked()).isFalse();
    assertThat(Objects.requireNonNull(finality.opinion()).watermarkMillis())
        .isEqualTo(DAY + 20 * HOUR);
  }

  @Test
  void expiredCarrierLeavesTheWatermarkWhereItWas() throws Exception {
    TestLoad load = table();
    PinotCommit only = load.hours(run("whole"), 1, true, 1, 2);
    load.committer(load.finalizing(b -> b)).publish(only);
    retain(load);
    for (StagedSegment segment : only.segments()) {
      load.delete(segment.name());
    }
    assertThat(at(load, 24).revoked()).isTrue();
    TableFinality expired = at(load, 26);
    assertThat(expired.revoked()).isFalse();
    assertThat(Objects.requireNonNull(expired.opinion()).watermarkMillis()).isEqualTo(DAY + HOUR);
  }

  @Test
  void taskThatRewritesSegmentsExplainsWhatIsGone() throws Exception {
    TestLoad load = table();
    Run run = run("merged");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run, 1, false, 1, 2));
    PinotCommit second = load.hours(run, 2, false, 3, 4);
    committer.publish(second);
    load.delete(second.segments().get(1).name());
    assertThat(at(load, 24).revoked()).isTrue();
    change(
        load,
        config ->
            config
                .putObject("task")
                .putObject("taskTypeConfigsMap")
                .putObject("MergeRollupTask")
                .put("1day.mergeType", "concat"));
    assertThat(at(load, 24).revoked()).isFalse();
    change(load, config -> config.remove("task"));
    assertThat(at(load, 24).revoked()).isTrue();
  }

  @Test
  void countGoesOnWithoutWhatHasExpired() throws Exception {
    TestLoad load = table();
    Run run = run("counted");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    PinotCommit first = load.hours(run, 1, false, 1, 2);
    committer.publish(first);
    for (StagedSegment segment : first.segments()) {
      load.delete(segment.name());
    }
    retain(load);
    PinotTableCommitter restarted = load.committer(load.finalizing(b -> b));
    PinotCommit second = load.hours(run, 2, false, 20, 21);
    restarted.publish(second);
    assertThat(at(load, 27).revoked()).isFalse();
    load.delete(second.segments().get(1).name());
    assertThat(at(load, 27).revoked())
        .describedAs("none of the run's rows that were counted is expired")
        .isTrue();
  }

  @Test
  void finishedRunWhoseSegmentsAreGoneIsStillNoWork() throws Exception {
    TestLoad load = table();
    Run run = run("done");
    PinotCommit only = load.hours(run, 9, true, 1, 2);
    load.committer(load.plan()).publish(only);
    retain(load);
    for (StagedSegment segment : only.segments()) {
      load.delete(segment.name());
    }
    PinotCommit again = load.hours(run, 9, true, 1, 2);
    assertThat(load.committer(load.plan()).publish(again))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.controller.segments(load.table)).isEmpty();
    assertThat(load.committer(load.plan()).publish(TestLoad.again(only)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.controller.segments(load.table)).isEmpty();
  }

  /** What a finished run builds anew may differ in its bytes. */
  @Test
  void finishedRunThatIsBuiltAnewUnderTheSameNamesIsNoWork() throws Exception {
    TestLoad load = table();
    Run run = run("anew");
    PinotCommit only = load.hours(run, 7, true, 1);
    load.committer(load.plan()).publish(only);
    SegmentInfo before =
        load.controller.segment(load.table, only.segments().get(0).name()).orElseThrow();
    StagedSegment other =
        load.segment(run, 701, null, List.of(TestLoad.row("id", "x", "v", 9, "ts", DAY)));
    assertThat(other.name()).isEqualTo(before.name());
    assertThat(other.crc()).isNotEqualTo(before.crc());
    assertThat(load.committer(load.plan()).publish(load.commit(run, 7, true, other)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.controller.segment(load.table, before.name())).contains(before);
    assertThat(load.isStaged(other)).isFalse();
  }

  private static void retain(TestLoad load) {
    change(
        load,
        config ->
            ((ObjectNode) config.path("segmentsConfig"))
                .put("retentionTimeUnit", "DAYS")
                .put("retentionTimeValue", Long.toString(RETENTION_DAYS)));
  }

  private static void change(TestLoad load, Consumer<ObjectNode> edit) {
    ObjectNode config = load.controller.tableConfig(load.table).orElseThrow().deepCopy();
    edit.accept(config);
    load.controller.putTableConfig(load.table, config);
  }

  /** As it is read half an hour after rows of this hour, less 24, have expired. */
  private static TableFinality at(TestLoad load, int hour) {
    long millis = DAY + (RETENTION_DAYS - 1) * 24 * HOUR + hour * HOUR + HOUR / 2;
    Clock clock = Clock.fixed(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    return PinotFinality.of(load.table, load.controller, clock).read();
  }

  private TestLoad table() throws Exception {
    String name = "losses_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
  }
}

package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.DAY;
import static dev.tidemark.pinot.commit.TestLoad.HOUR;
import static dev.tidemark.pinot.commit.TestLoad.row;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that were wound back, and runs that replace, on a real Pinot that others write to too. */
class RewindsITCase {
  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir Path directory;

  @Test
  void runReplacesWithItsFirstCommitAndLeavesWhatComesLater() throws Exception {
    TestLoad load = table();
    load.committer(load.plan()).publish(load.hours(run("old"), 1, true, 1, 2));
    PinotPlan replacing = load.plan(b -> b.replaced(ReplacedSegments.all()));
    Run fresh = run("fresh");
    PinotTableCommitter committer = load.committer(replacing);
    PinotCommit first = load.hours(fresh, 1, false, 3);
    committer.publish(first);
    assertThat(hours(load)).containsExactly(3L);

    load.committer(load.plan()).publish(load.hours(run("other"), 1, true, 4));
    committer.publish(load.hours(fresh, 2, false, 5));
    assertThat(hours(load)).containsExactly(3L, 4L, 5L);

    committer = load.committer(replacing);
    committer.publish(load.hours(fresh, 3, false, 6));
    assertThat(hours(load)).containsExactly(3L, 4L, 5L, 6L);
  }

  /** As a merge of Pinot's does: the rows are the run's own, the names are not. */
  @Test
  void mergedRowsOfARunAreNotReplacedByIt() throws Exception {
    TestLoad load = table();
    PinotPlan replacing = load.plan(b -> b.replaced(ReplacedSegments.all()));
    Run fresh = run("fresh");
    load.committer(replacing).publish(load.hours(fresh, 1, false, 3));
    load.committer(replacing).publish(load.hours(run("merged"), 1, true, 3));

    load.committer(replacing).publish(load.hours(fresh, 2, false, 5));
    assertThat(hours(load)).containsExactly(3L, 5L);
    PinotMirror mirror = PinotMirror.of(load.controller.tableConfig(load.table).orElseThrow());
    assertThat(mirror.hasReplaced("fresh")).isTrue();
  }

  /** Hour 9 was final with the commit of hours 10 and 11; after the rewind it is not. */
  @Test
  void keptCarrierDoesNotSpeakForRowsThatWereTakenBack() throws Exception {
    TestLoad load = table();
    Run run = run("wound");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run, 1, false, 3));
    StagedSegment early = load.segment(run, 201, null, List.of(hour(10)));
    StagedSegment late = load.segment(run, 202, null, List.of(hour(11)));
    committer.publish(
        load.commit(run, 2, false, TestLoad.facts(List.of(hour(10), hour(11))), early, late));
    PinotFinality reader = PinotFinality.of(load.table, load.controller, Clock.systemUTC());
    assertThat(watermark(reader.read())).isEqualTo(DAY + 10 * HOUR);

    Run restored = run.restored(1);
    committer = load.committer(load.finalizing(b -> b));
    StagedSegment again = load.segment(restored, 1, null, List.of(hour(5)));
    committer.publish(
        load.commit(restored, 2, false, TestLoad.facts(List.of(hour(10), hour(5))), early, again));
    assertThat(hours(load)).containsExactly(3L, 5L, 10L);
    TableFinality wound = reader.read();
    assertThat(watermark(wound)).isEqualTo(DAY + 5 * HOUR);
    assertThat(wound.revoked()).isTrue();

    load.committer(load.finalizing(b -> b));
    assertThat(reader.read().revoked()).isTrue();

    committer.publish(load.hours(restored, 3, false, 12));
    TableFinality caughtUp = reader.read();
    assertThat(watermark(caughtUp)).isEqualTo(DAY + 12 * HOUR);
    assertThat(caughtUp.revoked()).isFalse();
  }

  @Test
  void commitThatWasTakenBackIsNotTakenForDone() throws Exception {
    for (boolean empty : List.of(false, true)) {
      TestLoad load = table();
      Run run = run("back");
      PinotTableCommitter committer = load.committer(load.plan());
      committer.publish(load.hours(run, 5, false, 1));
      PinotCommit later = load.hours(run, 10, false, 2);
      committer.publish(later);

      Run restored = run.restored(5);
      committer = load.committer(load.plan());
      committer.publish(
          empty ? load.commit(restored, 6, false) : load.hours(restored, 6, false, 3));
      assertThatThrownBy(() -> load.committer(load.plan()).publish(TestLoad.again(later)))
          .isInstanceOf(PublishFailedException.class)
          .hasMessageContaining("restored from an earlier checkpoint since, and took it back");
      assertThat(hours(load)).isEqualTo(empty ? List.of(1L) : List.of(1L, 3L));
    }
  }

  @Test
  void commitThatAnotherRunReplacedIsDone() throws Exception {
    TestLoad load = table();
    PinotCommit old = load.hours(run("old"), 1, false, 1);
    load.committer(load.plan()).publish(old);
    load.committer(load.plan(b -> b.replaced(ReplacedSegments.all())))
        .publish(load.hours(run("new"), 1, true, 2));
    assertThat(load.committer(load.plan()).publish(TestLoad.again(old)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(hours(load)).containsExactly(2L);
  }

  private static long watermark(TableFinality finality) {
    return Objects.requireNonNull(Objects.requireNonNull(finality.opinion()).watermarkMillis());
  }

  private static GenericRow hour(int hour) {
    return row("id", "k" + hour, "v", hour, "ts", DAY + hour * HOUR);
  }

  private static List<Long> hours(TestLoad load) {
    List<Long> hours = new ArrayList<>();
    load.rows("SELECT v FROM " + load.table.rawName() + " ORDER BY v LIMIT 100")
        .forEach(row -> hours.add(((Number) Objects.requireNonNull(row.get(0))).longValue()));
    return hours;
  }

  private TestLoad table() throws Exception {
    String name = "rewinds_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
  }
}

package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.row;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pinot.controller.SegmentLineage;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits to OFFLINE tables of a real Pinot. */
class OfflineCommitITCase {
  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir Path directory;

  @Test
  void rowsAppearOnceWhenTheCommitIsPublished() throws Exception {
    TestLoad load = table();
    PinotTableCommitter committer = load.committer(load.plan());
    PinotCommit first =
        load.commit(
            run("one"), 1, false, ids(load, run("one"), 0, 1, 3), ids(load, run("one"), 1, 4, 6));
    PinotCommit second = load.commit(run("one"), 2, true, ids(load, run("one"), 2, 7, 10));

    assertThat(committer.publish(first)).isInstanceOf(PublishResult.Published.class);
    assertThat(sum(load)).isEqualTo(List.of(6L, 21.0));
    assertThat(committer.publish(second)).isInstanceOf(PublishResult.Published.class);
    assertThat(sum(load)).isEqualTo(List.of(10L, 55.0));

    assertThat(first.segments()).noneMatch(load::isStaged);
    assertThat(load.controller.lineage(load.table).list())
        .allMatch(entry -> entry.state() == SegmentLineage.State.COMPLETED);
  }

  @Test
  void secondDeliveryOfTheSameCommitChangesNothing() throws Exception {
    TestLoad load = table();
    Run run = run("twice");
    PinotCommit commit = load.commit(run, 1, false, ids(load, run, 0, 1, 5));
    load.committer(load.plan()).publish(commit);
    var before = load.controller.allSegments(load.table);

    PublishResult again = load.committer(load.plan()).publish(TestLoad.again(commit));

    assertThat(again).isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.controller.allSegments(load.table)).isEqualTo(before);
    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
  }

  @Test
  void twoRunsWithoutATimeColumnKeepAllTheirRows() throws Exception {
    TestLoad load = table();
    Run first = run("a");
    Run second = run("b");
    load.committer(load.plan()).publish(load.commit(first, 1, true, ids(load, first, 0, 1, 100)));
    load.committer(load.plan())
        .publish(load.commit(second, 1, true, ids(load, second, 0, 101, 250)));
    assertThat(sum(load).get(0)).isEqualTo(250L);
  }

  @Test
  void finishedRunThatIsStartedAgainChangesNothing() throws Exception {
    TestLoad load = table();
    Run run = run("done");
    load.committer(load.plan())
        .publish(load.commit(run, Long.MAX_VALUE, true, ids(load, run, 0, 1, 5)));

    PinotCommit again = load.commit(run, 1, false, ids(load, run, 7, 1, 5));
    assertThat(load.committer(load.plan()).publish(again))
        .isInstanceOf(PublishResult.AlreadyPublished.class);

    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
    assertThat(again.segments()).noneMatch(load::isStaged);
  }

  @Test
  void finishedRunThatBuildsOtherBytesUnderTheSameNamesChangesNothing() throws Exception {
    TestLoad load = table();
    Run run = run("rebuilt");
    load.committer(load.plan())
        .publish(load.commit(run, Long.MAX_VALUE, true, ids(load, run, 0, 1, 5)));

    PinotCommit again = load.commit(run, Long.MAX_VALUE, true, ids(load, run, 0, 1, 4));
    assertThat(load.committer(load.plan()).publish(again))
        .isInstanceOf(PublishResult.AlreadyPublished.class);

    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
    assertThat(again.segments()).noneMatch(load::isStaged);
  }

  @Test
  void segmentsOfAnotherRunAreReplacedInOneStep() throws Exception {
    TestLoad load = table();
    Run old = run("old");
    Run fresh = run("fresh");
    load.committer(load.plan()).publish(load.commit(old, 1, true, ids(load, old, 0, 1, 5)));

    PinotPlan plan = load.plan(b -> b.replaced(ReplacedSegments.all()));
    List<List<Object>> seen = new ArrayList<>();
    PinotTableCommitter committer =
        load.committer(plan, step -> seen.add(new ArrayList<>(sum(load))));
    committer.publish(load.commit(fresh, 1, false, ids(load, fresh, 0, 11, 12)));
    committer.publish(load.commit(fresh, 2, true, ids(load, fresh, 1, 13, 13)));

    assertThat(sum(load)).isEqualTo(List.of(3L, 36.0));
    assertThat(seen)
        .contains(List.of(5L, 15.0), List.of(2L, 23.0))
        .allMatch(
            s -> List.of(List.of(5L, 15.0), List.of(2L, 23.0), List.of(3L, 36.0)).contains(s));
  }

  @Test
  void rewindReplacesWhatTheSavepointDoesNotKnow() throws Exception {
    TestLoad load = table();
    Run run = run("wound");
    PinotTableCommitter committer = load.committer(load.plan());
    committer.publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3)));
    committer.publish(load.commit(run, 2, false, ids(load, run, 1, 4, 6)));
    committer.publish(load.commit(run, 3, false, ids(load, run, 2, 7, 9)));
    assertThat(sum(load)).isEqualTo(List.of(9L, 45.0));

    Run restored = run.restored(1);
    committer = load.committer(load.plan());
    committer.publish(load.commit(restored, 4, false, ids(load, restored, 0, 4, 9)));
    assertThat(sum(load)).isEqualTo(List.of(9L, 45.0));
    committer.publish(load.commit(restored, 5, true, ids(load, restored, 1, 10, 10)));
    assertThat(sum(load)).isEqualTo(List.of(10L, 55.0));
  }

  /** The restored run has nothing to bring, in the middle or at its end. */
  @Test
  void rewindWithoutRowsTakesAwayWhatTheSavepointDoesNotKnow() throws Exception {
    for (boolean ended : List.of(false, true)) {
      TestLoad load = table();
      Run run = run("empty");
      PinotTableCommitter committer = load.committer(load.plan());
      committer.publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3)));
      committer.publish(load.commit(run, 2, false, ids(load, run, 1, 4, 6)));
      committer.publish(load.commit(run, 3, false, ids(load, run, 2, 7, 9)));

      Run restored = run.restored(1);
      PinotCommit empty = load.commit(restored, 4, ended);
      assertThatThrownBy(
              () ->
                  load.committer(
                          load.plan(),
                          step -> {
                            if (step == CommitStep.END) {
                              throw new CrashAt.Crash(step);
                            }
                          })
                      .publish(empty))
          .isInstanceOf(CrashAt.Crash.class);
      committer = load.committer(load.plan());
      assertThat(committer.publish(TestLoad.again(empty)))
          .isInstanceOf(PublishResult.Published.class);
      assertThat(sum(load)).isEqualTo(List.of(3L, 6.0));
      if (!ended) {
        committer.publish(load.commit(restored, 5, false, ids(load, restored, 0, 4, 5)));
        assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
      }
    }
  }

  @Test
  void commitWithoutRowsReplacesNothingOfOthers() throws Exception {
    TestLoad load = table();
    Run old = run("old");
    load.committer(load.plan()).publish(load.commit(old, 1, true, ids(load, old, 0, 1, 5)));
    Run run = run("fresh");
    PinotTableCommitter committer =
        load.committer(load.plan(b -> b.replaced(ReplacedSegments.all())));
    assertThat(committer.publish(load.commit(run.restored(1), 2, false)))
        .isInstanceOf(PublishResult.Skipped.class);
    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
    committer.publish(load.commit(run.restored(1), 3, true, ids(load, run.restored(1), 0, 7, 7)));
    assertThat(sum(load)).isEqualTo(List.of(1L, 7.0));
  }

  @Test
  void segmentStagedBeforeTheSavepointStaysWhereItIs() throws Exception {
    TestLoad load = table();
    Run run = run("kept");
    StagedSegment early = ids(load, run, 0, 1, 3);
    load.committer(load.plan()).publish(load.commit(run, 2, false, early, ids(load, run, 1, 4, 6)));

    Run restored = run.restored(1);
    load.committer(load.plan())
        .publish(load.commit(restored, 2, false, early, ids(load, restored, 0, 4, 7)));

    assertThat(sum(load)).isEqualTo(List.of(7L, 28.0));
  }

  @Test
  void anotherSegmentOfTheSameNameFailsLoudly() throws Exception {
    TestLoad load = table();
    Run run = run("same");
    load.committer(load.plan()).publish(load.commit(run, 1, false, ids(load, run, 0, 1, 3)));

    assertThatThrownBy(
            () ->
                load.committer(load.plan())
                    .publish(load.commit(run, 2, false, ids(load, run, 0, 4, 6))))
        .isInstanceOf(PublishFailedException.class)
        .hasMessageContaining("one of this name is there with checksum");
    assertThat(sum(load)).isEqualTo(List.of(3L, 6.0));
  }

  @Test
  void metadataPushInGroupsGivesTheSame() throws Exception {
    TestLoad load = table();
    Run run = run("meta");
    PinotPlan plan =
        load.plan(
            b -> b.upload(new PinotPlan.Upload(PushMode.METADATA, 2, Duration.ofMinutes(1), true)));
    StagedSegment[] segments =
        IntStream.rangeClosed(1, 5)
            .mapToObj(i -> ids(load, run, i, i, i))
            .toArray(StagedSegment[]::new);
    load.committer(plan).publish(load.commit(run, 1, true, segments));
    assertThat(sum(load)).isEqualTo(List.of(5L, 15.0));
    assertThat(segments).noneMatch(load::isStaged);
  }

  @Test
  void tableWithUpsertIsRefused() throws Exception {
    String name = "off_upsert_" + TABLES.incrementAndGet();
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU(name),
            Tables.configOfOfflineUpsert(name),
            directory);
    assertThatThrownBy(() -> load.committer(load.plan()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("upsert on an OFFLINE table");
  }

  static StagedSegment ids(TestLoad load, Run run, long sequence, int first, int last) {
    List<GenericRow> rows =
        IntStream.rangeClosed(first, last).mapToObj(id -> row("id", id, "v", 1)).toList();
    try {
      return load.segment(run, sequence, null, rows);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static List<Object> sum(TestLoad load) {
    return new ArrayList<>(
        load.rows("SELECT COUNT(*), SUM(id) FROM " + load.table.rawName()).get(0));
  }

  private TestLoad table() throws Exception {
    String name = "off_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfA(name), Tables.configOfA(name), directory);
  }
}

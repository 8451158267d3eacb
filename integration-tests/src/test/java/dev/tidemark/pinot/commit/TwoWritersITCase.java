package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.DAY;
import static dev.tidemark.pinot.commit.TestLoad.HOUR;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.controller.SegmentLineage;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two jobs that commit to one table of a real Pinot at the same instant, again and again. */
class TwoWritersITCase {
  private static final int ROUNDS = 5;
  private static final List<CommitStep> MEETINGS =
      List.of(CommitStep.DECIDE, CommitStep.START, CommitStep.END, CommitStep.MIRROR);

  @TempDir Path directory;

  @Test
  void nothingIsLostAndTheWatermarkIsTheLeastOfBoth() throws Exception {
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU("two_writers"),
            Tables.configOfTimed("two_writers"),
            directory);
    CyclicBarrier barrier = new CyclicBarrier(2);
    List<PinotTableCommitter> committers =
        List.of(writer(load, "a", barrier), writer(load, "b", barrier));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 1; round <= ROUNDS; round++) {
        List<Future<PublishResult>> results = new ArrayList<>();
        for (int writer = 0; writer < 2; writer++) {
          PinotTableCommitter committer = committers.get(writer);
          // The second is always an hour behind the first.
          int hour = 3 * round - writer;
          Run run = run("w" + writer);
          PinotCommit commit = load.hours(run, round, false, hour, hour + 1);
          results.add(threads.submit(() -> committer.publish(commit)));
        }
        for (Future<PublishResult> result : results) {
          assertThat(result.get(2, TimeUnit.MINUTES)).isInstanceOf(PublishResult.Published.class);
        }
        assertRound(load, round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void assertRound(TestLoad load, int round) {
    assertThat(load.number("SELECT COUNT(*) FROM two_writers")).isEqualTo(4L * round);
    TableFinality finality =
        PinotFinality.of(load.table, load.controller, Clock.systemUTC()).read();
    assertThat(finality.revoked()).isFalse();
    assertThat(Objects.requireNonNull(finality.opinion()).watermarkMillis())
        .describedAs("round %s", round)
        .isEqualTo(DAY + (3 * round - 1) * HOUR);
    assertThat(finality.opinion().writers()).containsOnlyKeys("a", "b");
    assertThat(PinotMirror.of(load.controller.tableConfig(load.table).orElseThrow()).entries())
        .containsKeys(PinotMirror.key("a"), PinotMirror.key("b"));
    assertThat(load.controller.lineage(load.table).list())
        .hasSize(2 * round)
        .allMatch(entry -> entry.state() == SegmentLineage.State.COMPLETED);
  }

  private static PinotPlan plan(TestLoad load, String writer) {
    return load.plan(
        b ->
            b.accumulators(TestLoad.EVENT_TIMES)
                .finalization(
                    FinalizationConfig.forWriter(writer)
                        .lookback(1, Duration.ZERO)
                        .readFromBeginning()
                        .build()));
  }

  private static PinotTableCommitter writer(TestLoad load, String name, CyclicBarrier barrier) {
    return load.committer(
        plan(load, name),
        step -> {
          if (MEETINGS.contains(step)) {
            try {
              barrier.await(1, TimeUnit.MINUTES);
            } catch (Exception e) {
              throw new IllegalStateException("The other writer does not come to " + step, e);
            }
          }
        });
  }
}

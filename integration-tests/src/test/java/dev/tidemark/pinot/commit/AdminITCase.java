package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.DAY;
import static dev.tidemark.pinot.commit.TestLoad.HOUR;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator says to the opinion of a table of a real Pinot. */
class AdminITCase {
  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir Path directory;

  @Test
  void resetAcceptsThatASegmentIsGoneAndThatOneAlone() throws Exception {
    TestLoad load = table();
    Run run = run("loss");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run, 1, false, 1, 2));
    PinotCommit second = load.hours(run, 2, false, 3, 4, 5);
    committer.publish(second);
    load.delete(second.segments().get(1).name());
    assertThat(answer(load, 1)).isInstanceOf(FinalityAnswer.Revoked.class);

    admin(load).reset();
    assertThat(answer(load, 1)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(opinion(load).epoch()).isEqualTo(1);
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 3 * HOUR);

    load.delete(second.segments().get(2).name());
    assertThat(answer(load, 1)).isInstanceOf(FinalityAnswer.Revoked.class);
    committer.publish(load.hours(run, 3, false, 8, 9));
    assertThat(opinion(load).watermarkMillis())
        .describedAs("held until somebody says that the loss is meant")
        .isEqualTo(DAY + 3 * HOUR);
    admin(load).reset();
    committer.publish(load.hours(run, 4, false, 8, 9));
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 8 * HOUR);
    assertThat(opinion(load).epoch()).isEqualTo(2);
    assertThat(answer(load, 7)).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void resetAfterTheCarrierIsGoneGoesBackToTheOneBefore() throws Exception {
    TestLoad load = table();
    Run run = run("carrier");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run, 1, false, 1, 2));
    PinotCommit second = load.hours(run, 2, false, 5, 6);
    committer.publish(second);
    for (StagedSegment segment : second.segments()) {
      load.delete(segment.name());
    }
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Revoked.class);

    admin(load).reset();
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answer(load, 4)).isInstanceOf(FinalityAnswer.NotReady.class);
    committer.publish(load.hours(run, 3, false, 5, 6));
    assertThat(answer(load, 4)).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void resetOfATableWhoseCommitsAreAllGoneClaimsNothing() throws Exception {
    TestLoad load = table();
    PinotCommit only = load.hours(run("all"), 1, false, 1, 2);
    load.committer(load.finalizing(b -> b)).publish(only);
    for (StagedSegment segment : only.segments()) {
      load.delete(segment.name());
    }
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Revoked.class);
    admin(load).reset();
    assertThat(read(load).revoked()).isFalse();
    assertThat(opinion(load).watermarkMillis()).isNull();
    assertThat(answer(load, 0)).isNotInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void retiredWriterHoldsNothingAnyMore() throws Exception {
    TestLoad load = table();
    Run run = run("left");
    PinotTableCommitter stays = load.committer(load.finalizing(b -> b));
    PinotTableCommitter leaves = load.committer(plan(load, "leaves", c -> c));
    stays.publish(load.hours(run, 1, false, 6, 7));
    leaves.publish(load.hours(run("gone"), 1, false, 4));
    stays.publish(load.hours(run, 2, false, 9, 10));
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 4 * HOUR);

    assertThatThrownBy(() -> admin(load).retire("nobody"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot retire writer \"nobody\"");
    admin(load).retire("leaves");
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 9 * HOUR);
    stays.publish(load.hours(run, 3, false, 11, 12));
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 11 * HOUR);

    wipe(load);
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 11 * HOUR);
    assertThat(opinion(load).writers()).containsOnlyKeys("load");
    leaves.publish(load.hours(run("gone"), 2, false, 9));
    assertThat(opinion(load).writers()).containsOnlyKeys("leaves", "load");
  }

  /** The commit was decided before, and lands after; it may even have raised the watermark. */
  @Test
  void commitThatWasUnderWayDoesNotBringARetiredWriterBack() throws Exception {
    TestLoad load = table();
    Run run = run("under");
    PinotTableCommitter stays = load.committer(load.finalizing(b -> b));
    PinotTableCommitter leaves = load.committer(plan(load, "leaves", c -> c));
    stays.publish(load.hours(run, 1, false, 5));
    leaves.publish(load.hours(run("gone"), 1, false, 7));
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 5 * HOUR);

    PinotTableCommitter late =
        load.committer(
            load.finalizing(b -> b),
            step -> {
              if (step == CommitStep.PUSH
                  && !opinion(load).writers().keySet().equals(Set.of("load"))) {
                admin(load).retire("leaves");
              }
            });
    late.publish(load.hours(run, 2, false, 9, 10));
    assertThat(opinion(load).writers()).containsOnlyKeys("load");
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 9 * HOUR);
  }

  @Test
  void bootstrapIsCompletedByWord() throws Exception {
    TestLoad load = table();
    PinotTableCommitter committer =
        load.committer(plan(load, "load", FinalizationConfig.Builder::bootstrapPending));
    committer.publish(load.hours(run("boot"), 1, false, 5, 6));
    assertThat(opinion(load).watermarkMillis()).isNull();

    admin(load).completeBootstrap(Instant.ofEpochMilli(DAY));
    committer.publish(load.hours(run("boot"), 2, false, 7, 8));
    assertThat(opinion(load).watermarkMillis()).isEqualTo(DAY + 7 * HOUR);
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void tableWithoutAnOpinionHasNothingToChange() throws Exception {
    TestLoad load = table();
    assertThatThrownBy(() -> admin(load).reset())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("it carries no opinion");
  }

  private static PinotPlan plan(
      TestLoad load, String writer, UnaryOperator<FinalizationConfig.Builder> change) {
    return load.plan(
        b ->
            b.accumulators(TestLoad.EVENT_TIMES)
                .finalization(
                    change
                        .apply(
                            FinalizationConfig.forWriter(writer)
                                .lookback(1, Duration.ZERO)
                                .readFromBeginning())
                        .build()));
  }

  private static PinotFinalizationAdmin admin(TestLoad load) {
    return PinotFinalizationAdmin.of(load.table, load.settings());
  }

  private static void wipe(TestLoad load) {
    ObjectNode config = load.controller.tableConfig(load.table).orElseThrow().deepCopy();
    ((ObjectNode) config.path("metadata")).remove("customConfigs");
    load.controller.putTableConfig(load.table, config);
  }

  private static FinalityAnswer answer(TestLoad load, int hour) {
    return read(load).answerAt(Instant.ofEpochMilli(DAY + hour * HOUR));
  }

  private static Opinion opinion(TestLoad load) {
    @Nullable Opinion opinion = read(load).opinion();
    return Objects.requireNonNull(opinion);
  }

  private static TableFinality read(TestLoad load) {
    return PinotFinality.of(load.table, load.controller, Clock.systemUTC()).read();
  }

  private TestLoad table() throws Exception {
    String name = "admin_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
  }
}

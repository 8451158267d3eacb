package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.row;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real Pinot says of its completeness. */
class FinalityITCase {
  private static final long HOUR = TestLoad.HOUR;
  private static final long DAY = TestLoad.DAY;
  private static final AtomicInteger TABLES = new AtomicInteger();
  private static final List<String> CALLS = new ArrayList<>();

  @TempDir Path directory;

  @Test
  void factsAndOpinionAreOnTheCarrierAndTheMirrorFollows() throws Exception {
    TestLoad load = table();
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Unknown.class);
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    PinotCommit commit = load.hours(run("facts"), 1, false, 0, 1, 2);
    committer.publish(commit);

    SegmentInfo carrier =
        load.controller.segment(load.table, commit.segments().get(0).name()).orElseThrow();
    EventTimeFacts facts = EventTimeProperties.read(carrier.customMap()).orElseThrow();
    assertThat(facts.times().count()).isEqualTo(3);
    assertThat(facts.times().minMillis()).isEqualTo(DAY);
    assertThat(watermark(load)).isEqualTo(DAY);
    assertThat(mirrored(load)).isEqualTo(DAY);
    assertThat(custom(load).path("owner").asText()).isEqualTo("somebody");

    committer.publish(load.hours(run("facts"), 2, false, 3, 4));
    assertThat(watermark(load)).isEqualTo(DAY + 3 * HOUR);
    assertThat(mirrored(load)).isEqualTo(DAY + 3 * HOUR);
    assertThat(answer(load, 2)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answer(load, 3)).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void lateRowsReopenAnHourAndListenersHear() throws Exception {
    TestLoad load = table();
    HEARD.clear();
    PinotTableCommitter committer =
        load.committer(
            load.finalizing(
                b ->
                    b.lateListeners(
                        List.of((table, report) -> hear(table + " " + report.rows().total())))));
    committer.publish(load.hours(run("late"), 1, false, 5, 6));
    committer.publish(load.hours(run("late"), 2, false, 2, 7));

    assertThat(answer(load, 2)).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertThat(HEARD).containsExactly(load.table.nameWithType() + " 1");
  }

  @Test
  void mirrorThatSomebodyElseWipedIsWrittenAgain() throws Exception {
    TestLoad load = table();
    load.committer(load.finalizing(b -> b)).publish(load.hours(run("wiped"), 1, false, 3, 4));
    ObjectNode config = load.controller.tableConfig(load.table).orElseThrow().deepCopy();
    ((ObjectNode) config.path("metadata")).remove("customConfigs");
    load.controller.putTableConfig(load.table, config);

    assertThat(watermark(load)).describedAs("the carrier still says so").isEqualTo(DAY + 3 * HOUR);
    assertThat(mirrored(load)).isNull();
    load.committer(load.finalizing(b -> b));
    assertThat(mirrored(load)).isEqualTo(DAY + 3 * HOUR);

    ((ObjectNode) config.path("metadata")).putObject("customConfigs").put("other", "kept");
    load.controller.putTableConfig(load.table, config);
    load.committer(load.finalizing(b -> b.mirrorWrite(MirrorWrite.ZK_COMPARE_AND_SET)));
    assertThat(mirrored(load)).isEqualTo(DAY + 3 * HOUR);
    assertThat(custom(load).path("other").asText()).isEqualTo("kept");
  }

  @Test
  void deletedSegmentsRevokeWhatWasSaid() throws Exception {
    TestLoad load = table();
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run("gone"), 1, false, 1, 2));
    PinotCommit second = load.hours(run("gone"), 2, false, 3, 4);
    committer.publish(second);
    assertThat(answer(load, 1)).isInstanceOf(FinalityAnswer.Ready.class);

    load.delete(second.segments().get(1).name());
    assertThat(answer(load, 1)).isInstanceOf(FinalityAnswer.Revoked.class);
    load.delete(second.segments().get(0).name());
    assertThat(answer(load, 1)).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void rewindIsRevokedUntilItHasCaughtUp() throws Exception {
    TestLoad load = table();
    Run run = run("wound");
    PinotPlan plan = load.finalizing(b -> b);
    PinotTableCommitter committer = load.committer(plan);
    committer.publish(load.hours(run, 1, false, 1, 2));
    committer.publish(load.hours(run, 2, false, 5, 6));
    assertThat(watermark(load)).isEqualTo(DAY + 5 * HOUR);

    Run restored = run.restored(1);
    committer = load.committer(plan);
    committer.publish(load.hours(restored, 3, false, 3, 4));
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Revoked.class);
    committer.publish(load.hours(restored, 4, false, 5, 6));
    assertThat(answer(load, 4)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(mirrored(load)).isEqualTo(DAY + 5 * HOUR);
  }

  @Test
  void endOfACompleteInputReachesOverItsLastEvent() throws Exception {
    TestLoad load = table();
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b.inputIsComplete(true)));
    committer.publish(load.hours(run("ended"), 1, false, 1, 2));
    PinotCommit empty =
        new PinotCommit(
            CommitId.random(),
            run("ended"),
            Long.MAX_VALUE,
            new PinotCommit.Delivery(false, true),
            List.of(),
            Map.of());
    assertThat(committer.publish(empty)).isInstanceOf(PublishResult.Published.class);
    assertThat(watermark(load)).isEqualTo(DAY + 3 * HOUR);
    assertThat(mirrored(load)).isEqualTo(DAY + 3 * HOUR);
    assertThat(committer.publish(TestLoad.again(empty)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(answer(load, 2)).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void hooksAddPropertiesAndMayRefuse() throws Exception {
    TestLoad load = table();
    CALLS.clear();
    PinotPlan plan = load.finalizing(b -> b.processors(List.of(new Refusing())));
    PinotTableCommitter committer = load.committer(plan);
    PinotCommit commit = load.hours(run("hooked"), 1, false, 1, 2);

    assertThatThrownBy(() -> committer.publish(commit))
        .isInstanceOf(CommitAbortedException.class)
        .hasMessage("not yet");
    assertThat(load.controller.segments(load.table)).isEmpty();
    committer.publish(commit);
    committer.publish(load.hours(run("hooked"), 2, false, 3));

    assertThat(CALLS).containsExactly("pre 0", "pre 0", "post 0", "pre 1", "post 1");
    assertThat(
            load.controller
                .segment(load.table, commit.segments().get(0).name())
                .orElseThrow()
                .customMap())
        .containsEntry("mine.key", "mine");
  }

  @Test
  void twoWritersWaitForEachOther() throws Exception {
    TestLoad load = table();
    load.committer(load.finalizing(b -> b)).publish(load.hours(run("a"), 1, false, 6, 7));
    assertThat(watermark(load)).isEqualTo(DAY + 6 * HOUR);
    PinotPlan other =
        load.plan(
            b ->
                b.accumulators(TestLoad.EVENT_TIMES)
                    .finalization(
                        FinalizationConfig.forWriter("other").lookback(1, Duration.ZERO).build()));
    PinotTableCommitter second = load.committer(other);
    load.committer(load.finalizing(b -> b)).publish(load.hours(run("b"), 1, false, 9, 10));
    assertThat(watermark(load)).describedAs("the other is behind").isEqualTo(DAY + 6 * HOUR);
    second.publish(load.hours(run("c"), 1, false, 8));
    assertThat(watermark(load)).isEqualTo(DAY + 8 * HOUR);
  }

  @Test
  void opinionIsCarriedOverFromAnotherTable() throws Exception {
    TestLoad load = table();
    OpinionSource source =
        commit ->
            commit.checkpointId() < 2
                ? Optional.empty()
                : Optional.of(opinionOfAnotherTable(DAY + 2 * HOUR));
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b.opinionSource(source)));
    committer.publish(load.hours(run("copy"), 1, false, 1, 2));
    assertThat(read(load).opinion()).isNull();
    committer.publish(load.hours(run("copy"), 2, false, 3, 4));
    assertThat(watermark(load)).isEqualTo(DAY + 2 * HOUR);
    assertThat(mirrored(load)).isEqualTo(DAY + 2 * HOUR);
  }

  @Test
  void windowOfTimeIsReplacedAndItsEdgeIsGuarded() throws Exception {
    TestLoad load = table();
    load.committer(load.plan()).publish(load.hours(run("old"), 1, true, 1, 2, 3));
    PinotPlan window =
        load.plan(
            b ->
                b.replaced(
                    ReplacedSegments.within(
                        Instant.ofEpochMilli(DAY + HOUR), Instant.ofEpochMilli(DAY + 3 * HOUR))));
    load.committer(window).publish(load.hours(run("new"), 1, true, 1));
    assertThat(load.rows("SELECT id FROM " + load.table.rawName() + " ORDER BY id"))
        .isEqualTo(List.of(List.of("k1"), List.of("k3")));

    Run wide = run("wide");
    List<GenericRow> both =
        List.of(row("id", "x", "v", 0, "ts", DAY), row("id", "y", "v", 0, "ts", DAY + 9 * HOUR));
    load.committer(load.plan())
        .publish(load.commit(wide, 1, true, load.segment(wide, 0, null, both)));
    assertThatThrownBy(() -> load.committer(window).publish(load.hours(run("newer"), 1, true, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reach out of");
  }

  private static Opinion opinionOfAnotherTable(long mark) {
    var config = FinalizationConfig.forWriter("load").build();
    return new Opinion(
        new FinalizationWatermark(0L, mark, Evidence.ESTIMATE),
        config.policyText(),
        null,
        0,
        false,
        new TreeMap<>(),
        ReopenedGranules.NONE);
  }

  /** Refuses the first commit it sees once. */
  private static final class Refusing implements CommitProcessor<PinotTableHandle> {
    private static final long serialVersionUID = 1L;

    @Override
    public void preCommit(CommitContext<PinotTableHandle> context) throws CommitAbortedException {
      CALLS.add("pre " + context.recentCommits().newestFirst().count());
      if (CALLS.size() == 1) {
        throw new CommitAbortedException("not yet");
      }
      context.putProperty("mine.key", "mine");
    }

    @Override
    public void postCommit(CommitContext<PinotTableHandle> context) {
      CALLS.add("post " + context.recentCommits().newestFirst().count());
    }
  }

  private static final List<String> HEARD = new ArrayList<>();

  private static void hear(String report) {
    HEARD.add(report);
  }

  private TestLoad table() throws Exception {
    String name = "final_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
  }

  private static FinalityAnswer answer(TestLoad load, int hour) {
    return read(load).answerAt(Instant.ofEpochMilli(DAY + hour * HOUR));
  }

  private static TableFinality read(TestLoad load) {
    return PinotFinality.of(load.table, load.controller, Clock.systemUTC()).read();
  }

  private static @Nullable Long watermark(TestLoad load) {
    return Objects.requireNonNull(read(load).opinion()).watermarkMillis();
  }

  private static @Nullable Long mirrored(TestLoad load) {
    Map<String, String> entry =
        PinotMirror.of(load.controller.tableConfig(load.table).orElseThrow())
            .entries()
            .get(PinotMirror.key("load"));
    return entry == null
        ? null
        : FinalizationProperties.number(entry, FinalizationProperties.WATERMARK_MS);
  }

  private static JsonNode custom(TestLoad load) {
    return load.controller
        .tableConfig(load.table)
        .orElseThrow()
        .path("metadata")
        .path("customConfigs");
  }
}

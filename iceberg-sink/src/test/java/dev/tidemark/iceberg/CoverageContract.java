package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.iceberg.commit.CommitResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** A source that reports where it stands, through the summaries of real commits. */
abstract class CoverageContract extends TableContract {
  CoverageContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void partitionThatIsBehindHoldsHoweverOftenTheOtherDelivers() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.PASS));
    writer.report(coverage(delivered(10, 10), delivered(10, 10)), "08:05");
    writer.report(coverage(delivered(20, 20), delivered(20, 20)), "09:05");
    writer.report(coverage(delivered(30, 30), delivered(30, 30)), "10:05");
    assertWatermark("08:00");

    for (int i = 4; i < 8; i++) {
      writer.report(coverage(delivered(i * 10, i * 10), delivered(30, 90)), "1" + i + ":05");
    }

    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("p-1")));
    assertThat(ask("12:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.NotReady.class,
            answer ->
                assertThat(answer.hold())
                    .isEqualTo(Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("p-1"))));
  }

  @Test
  void idlePartitionAtItsEndIsPassed() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.PASS));
    writer.report(coverage(delivered(10, 10), idle()), "11:01");
    writer.report(coverage(delivered(20, 20), idle()), "11:03");
    writer.report(coverage(delivered(30, 30), idle()), "11:05");
    assertWatermark("11:00");
  }

  @Test
  void idlePartitionIsWaitedForAndNamedWhereThatIsTheRule() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.HOLD));
    writer.report(coverage(delivered(10, 10), idle()), "11:01");
    writer.report(coverage(delivered(20, 20), idle()), "11:03");
    writer.report(coverage(delivered(30, 30), idle()), "11:05");
    assertWatermark("none");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.IDLE_SOURCE, List.of("p-1")));
  }

  @Test
  void promiseWithoutRowsMakesACommitWhereItCrossesAnHour() {
    EventWriter writer = EventWriter.start(load(), promised());
    writer.report(promise("10:40", 10), "10:30", "10:50");
    assertWatermark("10:00");
    int versions = versions(load());

    assertThat(writer.report(promise("10:55", 10))).isInstanceOf(CommitResult.Skipped.class);
    assertThat(versions(load())).isEqualTo(versions);

    assertThat(writer.report(promise("11:01", 10))).isInstanceOf(CommitResult.Committed.class);
    assertWatermark("11:00");
    assertThat(versions(load())).isEqualTo(versions + 1);
    Table table = load();
    assertThat(SnapshotChanges.builderFor(table).build().addedDataFiles()).isEmpty();
    assertThat(opinion().watermark().evidence()).isEqualTo(Evidence.PROMISE);
    assertThat(ask("10:00")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void lastHourStaysOpenWithoutAPromise() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.PASS));
    writer.report(coverage(delivered(10, 10), idle()), "10:10");
    writer.report(coverage(delivered(20, 20), idle()), "10:30");
    writer.report(coverage(delivered(30, 30), idle()), "10:50");
    assertWatermark("10:00");
    writer.report(coverage(delivered(30, 30), idle()));
    assertWatermark("10:00");
    assertThat(ask("10:00")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void promiseOfOnePartitionAloneHolds() {
    EventWriter writer = EventWriter.start(load(), promised());
    writer.report(
        coverage(delivered(10, 10).promising(TestFiles.at("11:01")), delivered(5, 5)), "10:30");
    assertWatermark("none");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.IDLE_SOURCE, List.of("p-1")));
  }

  @Test
  void coverageIsKeptInTheSummaryAndSurvivesTheCommitsOfAnotherWriter() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.HOLD));
    EventWriter other = writer("other");
    other.write("20:05");
    writer.report(coverage(delivered(10, 10), delivered(10, 10)), "10:05");
    writer.report(coverage(delivered(20, 20), delivered(20, 20)), "11:05");
    for (int i = 0; i < 5; i++) {
      other.write("20:3" + i);
      TestFiles.append(load(), TestFiles.of(load(), "21:00"));
    }
    assertThat(load().currentSnapshot().summary())
        .doesNotContainKey(FinalizationProperties.COVERAGE);

    // p-1 reports nothing new: only the last coverage of this writer tells when it delivered.
    writer.report(coverage(delivered(30, 30), delivered(20, 20)), "12:05");

    assertWatermark("10:00");
    Coverage kept =
        FinalizationProperties.readCoverage(load().currentSnapshot().summary()).orElseThrow();
    assertThat(kept.partitions().values())
        .extracting(PartitionProgress::nextOffset)
        .containsExactly(30L, 20L);
    assertThat(kept.partitions().values())
        .extracting(PartitionProgress::deliveredCommit)
        .containsExactly(3L, 2L);
  }

  @Test
  void partitionThatIsNotReportedAnyMoreIsStillExpected() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.PASS));
    writer.report(coverage(delivered(10, 10), delivered(10, 90)), "10:05");
    TreeMap<String, PartitionProgress> one = new TreeMap<>();
    for (int i = 2; i < 7; i++) {
      one.put("p-0", delivered(i * 10, i * 10));
      writer.report(Coverage.of(one), "1" + i + ":05");
    }
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("p-1")));
  }

  @Test
  void commitWithoutCoverageHoldsAWriterThatExpectsIt() {
    EventWriter writer = EventWriter.start(load(), covered(FinalizationConfig.IdleRule.PASS));
    writer.write("10:05");
    writer.write("10:10");
    writer.write("10:15");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.SOURCE_BEHIND));
  }

  private static FinalizationConfig covered(FinalizationConfig.IdleRule rule) {
    return EventWriter.config("w")
        .lookback(3, Duration.ZERO)
        .coverageExpected()
        .idleRule(rule)
        .build();
  }

  private static FinalizationConfig promised() {
    return EventWriter.config("w")
        .policy(FinalizationPolicy.SOURCE_PROMISE)
        .coverageExpected()
        .build();
  }

  private static Coverage promise(String time, long offset) {
    PartitionProgress promising = delivered(offset, offset).promising(TestFiles.at(time));
    return coverage(promising, promising);
  }

  private static Coverage coverage(PartitionProgress first, PartitionProgress second) {
    TreeMap<String, PartitionProgress> partitions = new TreeMap<>();
    partitions.put("p-0", first);
    partitions.put("p-1", second);
    return Coverage.of(partitions);
  }

  private static PartitionProgress delivered(long next, long end) {
    return PartitionProgress.at(next, null)
        .merge(PartitionProgress.end(end, System.currentTimeMillis()));
  }

  private static PartitionProgress idle() {
    return PartitionProgress.end(0, System.currentTimeMillis());
  }
}

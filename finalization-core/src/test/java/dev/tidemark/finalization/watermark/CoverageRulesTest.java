package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.watermark.FinalizationConfig.IdleRule;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every row of "Coverage and policy", and the cases that are about it. */
class CoverageRulesTest {
  private final EngineHarness table = EngineHarness.at("2026-01-01T11:00:00Z");

  @Test
  void movesWhileEveryExpectedPartitionDeliversInTheWindow() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    warmUp(writer);

    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
  }

  @Test
  void aPartitionMayDeliverAnywhereInTheWindow() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    warmUp(writer);

    // p-1 delivered in the last of the commits so far: still inside a window of three.
    table.after("PT1M");
    writer.with("2026-01-01T11:01:00Z").partition("p-0", 4, 4).partition("p-1", 3, 9).commit();
    table.after("PT1M");
    writer
        .with("2026-01-01T11:02:00Z")
        .partition("p-0", 5, 5)
        .partition("p-1", 3, 9)
        .commit()
        .heldBy("INSIDE_GRANULE");
    table.after("PT1M");
    writer
        .with("2026-01-01T11:03:00Z")
        .partition("p-0", 6, 6)
        .partition("p-1", 3, 9)
        .commit()
        .heldBy("SOURCE_BEHIND(p-1)");
  }

  /** Case 10. */
  @Test
  void coverageIsNotCardinality() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    warmUp(writer);

    // p-0 reports again and again; p-1 is behind its end offset.
    for (int commit = 4; commit < 9; commit++) {
      table.after("PT5M");
      writer
          .with("2026-01-01T11:0" + commit + ":00Z")
          .partition("p-0", commit, commit)
          .partition("p-1", 3, 9)
          .commit();
    }

    assertThat(table.hold()).isEqualTo("SOURCE_BEHIND(p-1)");
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
  }

  /** Case 10 to the letter: two commits, before the window of three is even full. */
  @Test
  void aSourceThatIsBehindIsNamedBeforeTheWarmUp() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    writer.with("2026-01-01T11:00:00Z").partition("p-0", 1, 1).partition("p-1", 0, 9).commit();
    table.after("PT5M");
    writer
        .with("2026-01-01T11:04:00Z")
        .partition("p-0", 2, 2)
        .partition("p-1", 0, 9)
        .commit()
        .heldBy("SOURCE_BEHIND(p-1)");

    assertThat(table.watermark()).isEqualTo("none");
  }

  /** Case 11, the first rule. */
  @Test
  void anIdlePartitionAtItsEndIsWaitedForNoLonger() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    idle(writer);

    assertThat(table.watermark()).isEqualTo("2026-01-01T11:00:00Z");
  }

  /** Case 11, the second rule. */
  @Test
  void anIdlePartitionHoldsWhereThatIsTheRule() {
    EngineHarness.Writer writer = table.writer(estimate().idleRule(IdleRule.HOLD).build());
    idle(writer);

    assertThat(table.hold()).isEqualTo("IDLE_SOURCE(p-1)");
    assertThat(table.watermark()).isEqualTo("none");
  }

  @Test
  void aSampleFromBeforeTheWindowProvesNothing() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    for (int commit = 0; commit < 5; commit++) {
      table.after("PT5M");
      writer
          .with("2026-01-01T11:0" + commit + ":00Z")
          .partition("p-0", commit + 1, commit + 1)
          .partition("p-1", 0, 0, Duration.ofHours(1))
          .commit();
    }

    assertThat(table.hold()).isEqualTo("SOURCE_BEHIND(p-1)");
    assertThat(table.watermark()).isEqualTo("none");
  }

  @Test
  void missingCoverageHoldsWhereItIsExpected() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    for (int commit = 0; commit < 4; commit++) {
      table.after("PT1M");
      writer.with("2026-01-01T11:00:00Z").commit();
    }

    assertThat(table.hold()).isEqualTo("SOURCE_BEHIND");
  }

  @Test
  void aPartitionThatAppearedHoldsUntilItsFirstDelivery() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    warmUp(writer);
    table.at(Instant.parse("2026-01-01T12:10:00Z"));

    both(writer, 4, "2026-01-01T12:01:00Z").partition("p-2").commit();
    both(writer, 5, "2026-01-01T12:02:00Z").partition("p-2", 0, 7).commit();
    both(writer, 6, "2026-01-01T12:03:00Z")
        .partition("p-2", 0, 7)
        .commit()
        .heldBy("SOURCE_BEHIND(p-2)");
    // A report that leaves it out does not make it unexpected.
    both(writer, 7, "2026-01-01T12:03:00Z").commit().heldBy("SOURCE_BEHIND(p-2)");
    both(writer, 8, "2026-01-01T12:04:00Z")
        .partition("p-2", 3, 7)
        .commit()
        .advancedTo("2026-01-01T12:00:00Z");
  }

  @Test
  void aPartitionThatAppearedEmptyHoldsUntilItsEndIsKnown() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    warmUp(writer);
    table.at(Instant.parse("2026-01-01T12:10:00Z"));

    for (int commit = 4; commit < 8; commit++) {
      both(writer, commit, "2026-01-01T12:01:00Z").partition("p-2").commit();
    }
    assertThat(table.hold()).isEqualTo("SOURCE_BEHIND(p-2)");
    both(writer, 8, "2026-01-01T12:04:00Z")
        .partition("p-2", 0, 0)
        .commit()
        .advancedTo("2026-01-01T12:00:00Z");
  }

  @Test
  void aPartitionThatIsFirstSeenAtItsBeginningHasDeliveredNothing() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    for (int commit = 1; commit <= 4; commit++) {
      table.after("PT1M");
      writer
          .with("2026-01-01T11:01:00Z")
          .partition("p-0", commit, commit)
          .partition("p-1", 0, 7)
          .commit();
    }

    assertThat(table.hold()).isEqualTo("SOURCE_BEHIND(p-1)");
    assertThat(table.watermark()).isEqualTo("none");
  }

  @Test
  void aSilentSourceLetsTimeGoOnAfterTheTimeout() {
    EngineHarness.Writer writer =
        table.writer(estimate().idleTimeout(Duration.ofMinutes(20)).build());
    warmUp(writer);
    String last = table.watermark();

    table.at(Instant.parse("2026-01-01T11:22:59Z"));
    writer.empty().partition("p-0", 3, 3).partition("p-1", 3, 3).commit();
    assertThat(table.watermark()).isEqualTo(last);

    table.at(Instant.parse("2026-01-01T11:35:00Z"));
    EngineHarness.Done done = writer.empty().partition("p-0", 3, 3).partition("p-1", 3, 3).commit();
    done.advancedTo("2026-01-01T11:00:00Z");
    assertThat(done.outcome().worthACommit()).isTrue();
    assertThat(table.opinion().watermark().evidence()).isEqualTo(Evidence.ESTIMATE);

    table.at(Instant.parse("2026-01-01T13:20:00Z"));
    writer
        .empty()
        .partition("p-0", 3, 3, Duration.ofMinutes(1))
        .partition("p-1", 3, 3)
        .commit()
        .advancedTo("2026-01-01T12:00:00Z");
  }

  @Test
  void aSourceThatIsBehindIsNotSilent() {
    EngineHarness.Writer writer =
        table.writer(estimate().idleTimeout(Duration.ofMinutes(20)).build());
    warmUp(writer);

    table.at(Instant.parse("2026-01-01T13:00:00Z"));
    writer.empty().partition("p-0", 3, 3).partition("p-1", 3, 4).commit();

    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
  }

  @Test
  void aTimeoutThatIsOffNeverFires() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    warmUp(writer);

    table.at(Instant.parse("2026-01-02T13:00:00Z"));
    writer.empty().partition("p-0", 3, 3).partition("p-1", 3, 3).commit();

    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
  }

  @Test
  void aSourceIsNotSilentWhereTheLastCommitsCoverageIsUnknown() {
    // Records came a minute ago, under a configuration without coverage.
    EngineHarness.Writer before =
        table.writer(
            FinalizationConfig.forWriter("orders")
                .lookback(3, Duration.ZERO)
                .readFromBeginning()
                .build());
    for (int commit = 0; commit < 3; commit++) {
      before.with("2026-01-01T08:30:00Z").commit();
    }
    assertThat(table.watermark()).isEqualTo("2026-01-01T08:00:00Z");
    table.after("PT1M");

    EngineHarness.Writer after =
        table.writer(estimate().idleTimeout(Duration.ofMinutes(20)).build());
    after.empty().partition("p-0", 3, 3).partition("p-1", 3, 3).commit();

    assertThat(table.watermark()).isEqualTo("2026-01-01T08:00:00Z");
  }

  /** Case 12. */
  @Test
  void theLastHourIsClosedByAPromise() {
    EngineHarness.Writer writer = table.writer(promise().build());
    table.at(Instant.parse("2026-01-01T10:55:00Z"));
    writer.with("2026-01-01T10:50:00Z").promised("p-0", 5, "2026-01-01T10:49:00Z").commit();
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");

    // Events stop: hour 10 stays open.
    for (int commit = 0; commit < 5; commit++) {
      table.after("PT1M");
      writer.empty().promised("p-0", 5, "2026-01-01T10:49:00Z").commit();
    }
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");

    // A heartbeat row at 11:01.
    table.at(Instant.parse("2026-01-01T11:01:10Z"));
    EngineHarness.Done done = writer.empty().promised("p-0", 6, "2026-01-01T11:01:00Z").commit();
    done.advancedTo("2026-01-01T11:00:00Z");
    assertThat(done.outcome().worthACommit()).isTrue();
    assertThat(table.opinion().watermark().evidence()).isEqualTo(Evidence.PROMISE);
  }

  /** Case 12, without a promise. */
  @Test
  void theLastHourStaysOpenForAnEstimate() {
    EngineHarness.Writer writer =
        table.writer(FinalizationConfig.forWriter("orders").lookback(1, Duration.ZERO).build());
    writer.with("2026-01-01T10:50:00Z").commit();
    for (int commit = 0; commit < 5; commit++) {
      table.after("PT1H");
      writer.empty().commit();
    }
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
  }

  @Test
  void aPromiseIsTheLeastOfAllExpectedPartitions() {
    EngineHarness.Writer writer = table.writer(promise().build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer
        .with("2026-01-01T11:30:00Z")
        .promised("p-0", 5, "2026-01-01T11:30:00Z")
        .promised("p-1", 5, "2026-01-01T10:30:00Z")
        .commit()
        .advancedTo("2026-01-01T10:00:00Z");
    // What was promised once stays promised, also when a report is silent about it.
    writer
        .empty()
        .partition("p-0", 5, 9)
        .promised("p-1", 5, "2026-01-01T11:10:00Z")
        .commit()
        .advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void aPartitionWithoutAPromiseHoldsWhateverElseIsKnown() {
    EngineHarness.Writer writer = table.writer(promise().build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer
        .with("2026-01-01T11:30:00Z")
        .promised("p-0", 5, "2026-01-01T11:30:00Z")
        .partition("p-1", 3, 9)
        .commit()
        .heldBy("SOURCE_BEHIND(p-1)");
    writer
        .empty()
        .promised("p-0", 5, "2026-01-01T11:30:00Z")
        .partition("p-1", 9, 9)
        .commit()
        .heldBy("IDLE_SOURCE(p-1)");
    writer
        .empty()
        .promised("p-0", 5, "2026-01-01T11:30:00Z")
        .promised("p-1", 9, "2026-01-01T11:31:00Z")
        .partition("p-2")
        .commit()
        .heldBy("SOURCE_BEHIND(p-2)");
    writer.empty().commit().heldBy("SOURCE_BEHIND");
  }

  @Test
  void aPromiseNeverPassesTheCommitTime() {
    EngineHarness.Writer writer = table.writer(promise().build());
    table.at(Instant.parse("2026-01-01T11:59:00Z"));

    writer
        .empty()
        .promised("p-0", 5, "2026-01-01T15:30:00Z")
        .commit()
        .advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void aPromiseNeedsNoWindow() {
    EngineHarness.Writer writer =
        table.writer(promise().lookback(6, Duration.ofMinutes(30)).build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));

    writer
        .empty()
        .promised("p-0", 5, "2026-01-01T11:30:00Z")
        .commit()
        .advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void aPartitionOfManyThatNoReportNamesYetIsStillExpected() {
    EngineHarness.Writer writer = table.writer(promise().build());
    table.at(Instant.parse("2026-01-01T12:00:00Z"));
    writer
        .empty()
        .coverage(promised(100, "2026-01-01T10:30:00Z"))
        .commit()
        .advancedTo("2026-01-01T10:00:00Z");

    // After a restart 80 of the 100 readers have reported. The table lists none of the others.
    writer.empty().coverage(promised(80, "2026-01-01T11:30:00Z")).commit();
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(table.hold()).startsWith("SOURCE_BEHIND");

    writer
        .empty()
        .coverage(promised(100, "2026-01-01T11:30:00Z"))
        .commit()
        .advancedTo("2026-01-01T11:00:00Z");
  }

  @Test
  void anEstimateWaitsForPartitionsOfManyThatNoReportNamesYet() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    for (int commit = 1; commit <= 3; commit++) {
      table.after("PT1M");
      writer.with("2026-01-01T10:30:00Z").coverage(delivered(100, commit)).commit();
    }
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    for (int commit = 4; commit <= 7; commit++) {
      table.after("PT1M");
      writer.with("2026-01-01T11:01:00Z").coverage(delivered(80, commit)).commit();
    }

    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(table.hold()).startsWith("SOURCE_BEHIND");
  }

  @Test
  void aPartitionThatAppearsAmongManyHasDeliveredNothing() {
    EngineHarness.Writer writer = table.writer(estimate().build());
    for (int commit = 1; commit <= 3; commit++) {
      table.after("PT1M");
      writer.with("2026-01-01T10:30:00Z").coverage(delivered(100, commit)).commit();
    }
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    for (int commit = 4; commit <= 5; commit++) {
      table.after("PT1M");
      writer.with("2026-01-01T11:01:00Z").coverage(delivered(100, commit)).commit();
    }
    table.after("PT1M");

    writer
        .with("2026-01-01T11:01:00Z")
        .coverage(delivered(100, 6))
        .partition("q-0", 0, 50)
        .commit()
        .heldBy("SOURCE_BEHIND(q-0)");
  }

  private Coverage promised(int partitions, String time) {
    Map<String, PartitionProgress> map = new TreeMap<>();
    for (int i = 0; i < partitions; i++) {
      map.put(
          "t-" + i,
          PartitionProgress.at(5, null)
              .merge(PartitionProgress.end(5, table.clock.millis()))
              .promising(Instant.parse(time).toEpochMilli()));
    }
    return Coverage.of(map);
  }

  private Coverage delivered(int partitions, long offset) {
    Map<String, PartitionProgress> map = new TreeMap<>();
    for (int i = 0; i < partitions; i++) {
      map.put(
          "t-" + i,
          PartitionProgress.at(offset, null)
              .merge(PartitionProgress.end(offset, table.clock.millis())));
    }
    return Coverage.of(map);
  }

  /** Three commits in which both partitions deliver; W = 10:00, the clock stands at 11:03. */
  private void warmUp(EngineHarness.Writer writer) {
    for (int commit = 1; commit <= 3; commit++) {
      table.after("PT1M");
      both(writer, commit, "2026-01-01T10:30:00Z").commit();
    }
  }

  private EngineHarness.Draft both(EngineHarness.Writer writer, long offset, String time) {
    return writer.with(time).partition("p-0", offset, offset).partition("p-1", offset, offset);
  }

  /** p-0 reaches 11:05; p-1 has nothing to read and stands at its end. */
  private void idle(EngineHarness.Writer writer) {
    for (int commit = 3; commit <= 5; commit++) {
      table.after("PT2M");
      writer
          .with("2026-01-01T11:0" + commit + ":00Z")
          .partition("p-0", commit, commit)
          .partition("p-1", 0, 0)
          .commit();
    }
  }

  private static FinalizationConfig.Builder estimate() {
    return FinalizationConfig.forWriter("orders")
        .lookback(3, Duration.ZERO)
        .readFromBeginning()
        .coverageExpected();
  }

  private static FinalizationConfig.Builder promise() {
    return FinalizationConfig.forWriter("orders")
        .lookback(3, Duration.ZERO)
        .policy(FinalizationPolicy.SOURCE_PROMISE)
        .readFromBeginning()
        .coverageExpected();
  }
}

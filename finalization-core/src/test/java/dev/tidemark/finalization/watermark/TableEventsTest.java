package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.late.LateDataReport.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Where an opinion begins, several writers, bootstraps, rollbacks, the end of input. */
class TableEventsTest {
  private final EngineHarness table = EngineHarness.at("2026-01-01T12:00:00Z");

  @Test
  void declaringAnEarlierStartLowersTheStartOfTheOnlyWriter() {
    table.writer(writerOf("orders").build()).with("2026-01-01T08:30:00Z").commit();
    assertThat(table.from()).isEqualTo("2026-01-01T09:00:00Z");

    table
        .writer(writerOf("orders").readFrom(Instant.parse("2026-01-01T06:00:00Z")).build())
        .with("2026-01-01T08:31:00Z")
        .commit();

    assertThat(table.from()).isEqualTo("2026-01-01T06:00:00Z");
  }

  @Test
  void thePartialFirstHourIsNotClaimed() {
    EngineHarness.Writer writer = table.writer(writerOf("orders").build());
    writer.with("2026-01-01T09:10:00Z", "2026-01-01T09:40:00Z").commit();

    assertThat(table.from()).isEqualTo("2026-01-01T10:00:00Z");
    writer.with("2026-01-01T11:10:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
    assertThat(table.from()).isEqualTo("2026-01-01T10:00:00Z");
  }

  @Test
  void aReadThatBeginsOnABoundaryClaimsItsFirstHour() {
    table.writer(writerOf("orders").build()).with("2026-01-01T09:00:00Z").commit();

    assertThat(table.from()).isEqualTo("2026-01-01T09:00:00Z");
  }

  @Test
  void aDeclaredStartIsRoundedUp() {
    table
        .writer(writerOf("orders").readFrom(Instant.parse("2026-01-01T07:00:00.001Z")).build())
        .with("2026-01-01T09:10:00Z")
        .commit();

    assertThat(table.from()).isEqualTo("2026-01-01T08:00:00Z");
  }

  @Test
  void theBeginningOfTheSourceClaimsEverythingFromTheFirstCommitOn() {
    table.writer(writerOf("orders").readFromBeginning().build()).empty().commit();

    assertThat(table.from()).isEqualTo("1970-01-01T00:00:00Z");
  }

  @Test
  void nothingIsClaimedBeforeAnythingWasRead() {
    table.writer(writerOf("orders").build()).empty().commit().heldBy("NO_DATA");

    assertThat(table.from()).isEqualTo("none");
  }

  @Test
  void lateRowsBeforeWhatIsClaimedAreReportedButReopenNothing() {
    EngineHarness.Writer writer = table.writer(writerOf("orders").build());
    writer.with("2026-01-01T10:00:00Z").commit().advancedTo("2026-01-01T10:00:00Z");
    writer.with("2026-01-01T11:30:00Z").commit().advancedTo("2026-01-01T11:00:00Z");

    writer
        .with("2026-01-01T08:30:00Z", "2026-01-01T10:30:00Z")
        .commit()
        .late(Cause.STREAM, Map.of("2026-01-01T08:00:00Z", 1L, "2026-01-01T10:00:00Z", 1L));

    assertThat(table.opinion().reopened().granules())
        .containsOnlyKeys(Instant.parse("2026-01-01T10:00:00Z").toEpochMilli());
  }

  /** Case 15. */
  @Test
  void theSlowestOfTwoWritersDecides() {
    EngineHarness.Writer a = table.writer(writerOf("A").readFromBeginning().build());
    EngineHarness.Writer b = table.writer(writerOf("B").build());
    b.empty().commit().heldBy("NO_DATA");
    a.with("2026-01-01T10:10:00Z").commit().heldBy("WRITER_BEHIND(B)");
    assertThat(table.watermark()).isEqualTo("none");

    b.with("2026-01-01T08:10:00Z").commit().advancedTo("2026-01-01T08:00:00Z");

    // B is silent: held, and the answer names B.
    a.with("2026-01-01T11:10:00Z").commit().heldBy("WRITER_BEHIND(B)");
    assertThat(table.watermark()).isEqualTo("2026-01-01T08:00:00Z");
    assertThat(FinalizationProperties.write(table.opinion()))
        .containsEntry("finalization.writers", "A=1767265200000,B=1767254400000");
  }

  /** Case 15. */
  @Test
  void aWriterThatRetiresIsWaitedForNoLonger() {
    EngineHarness.Writer a = table.writer(writerOf("A").readFromBeginning().build());
    EngineHarness.Writer b = table.writer(writerOf("B").build());
    b.with("2026-01-01T08:10:00Z").commit();
    a.with("2026-01-01T10:10:00Z").commit();
    assertThat(table.watermark()).isEqualTo("2026-01-01T08:00:00Z");

    table.publish(table.opinion().retire("B"));

    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(table.opinion().hold()).isNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> table.opinion().retire("B"))
        .withMessage("Cannot retire writer \"B\" (expected: one of [A])");
  }

  /** As two commits leave it that were made from one truth, at the same instant. */
  @Test
  void writersThatCommitAtOnceCountWithTheirNewestCommits() {
    EngineHarness.Writer a = table.writer(writerOf("A").readFromBeginning().build());
    EngineHarness.Writer b = table.writer(writerOf("B").build());
    a.empty().commit();
    b.with("2026-01-01T08:10:00Z").commit();
    a.with("2026-01-01T08:10:00Z").commit().advancedTo("2026-01-01T08:00:00Z");
    Opinion before = table.opinion();
    WriterState newest =
        Objects.requireNonNull(before.writers().get("A"))
            .withWatermark(epochMillis("2026-01-01T11:00:00Z"), Evidence.ESTIMATE);
    a.with("2026-01-01T10:10:00Z").commit().heldBy("WRITER_BEHIND(B)");
    SortedMap<String, WriterState> both = new TreeMap<>(table.opinion().writers());
    both.put("B", newest);

    table.publish(table.opinion().withNewest(both));
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(before.withNewest(before.writers())).isEqualTo(before);
    Opinion stopped = before.withHold(Hold.of(Hold.Reason.ROLLED_BACK));
    assertThat(stopped.withNewest(both).watermarkMillis())
        .isEqualTo(epochMillis("2026-01-01T08:00:00Z"));
  }

  @Test
  void aWriterThatJoinsHoldsTheTableUntilItsFirstCandidate() {
    EngineHarness.Writer a = table.writer(writerOf("A").readFromBeginning().build());
    a.with("2026-01-01T09:10:00Z").commit().advancedTo("2026-01-01T09:00:00Z");

    EngineHarness.Writer b = table.writer(writerOf("B").lookback(2, Duration.ZERO).build());
    EngineHarness.Done joined = b.empty().commit();
    assertThat(joined.outcome().worthACommit()).isTrue();
    a.with("2026-01-01T10:10:00Z").commit().heldBy("WRITER_BEHIND(B)");
    b.with("2026-01-01T11:10:00Z").commit().heldBy("WARM_UP");
    b.with("2026-01-01T11:10:00Z").commit().advancedTo("2026-01-01T10:00:00Z");
  }

  @Test
  void aWriterThatJoinsBehindTheTableDoesNotTakeItBack() {
    EngineHarness.Writer a = table.writer(writerOf("A").readFromBeginning().build());
    a.with("2026-01-01T10:10:00Z").commit();

    EngineHarness.Writer b = table.writer(writerOf("B").build());
    b.with("2026-01-01T07:10:00Z").commit().late(Cause.STREAM, Map.of("2026-01-01T07:00:00Z", 1L));

    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    a.with("2026-01-01T11:10:00Z").commit().heldBy("WRITER_BEHIND(B)");
  }

  @Test
  void aResubmittedWriterGoesOnUnderItsName() {
    table.writer(writerOf("A").readFromBeginning().build()).with("2026-01-01T09:10:00Z").commit();

    table
        .writer(writerOf("A").build())
        .with("2026-01-01T10:10:00Z")
        .commit()
        .advancedTo("2026-01-01T10:00:00Z");

    assertThat(table.opinion().writers()).containsOnlyKeys("A");
  }

  @Test
  void aTableIsAsWellProvenAsItsWeakestWriter() {
    EngineHarness.Writer estimate = table.writer(writerOf("A").readFromBeginning().build());
    EngineHarness.Writer promise =
        table.writer(
            writerOf("B").policy(FinalizationPolicy.SOURCE_PROMISE).coverageExpected().build());
    promise.empty().promised("t-0", 5, "2026-01-01T09:30:00Z").commit();
    assertThat(table.opinion().watermark().evidence()).isEqualTo(Evidence.PROMISE);

    estimate.with("2026-01-01T10:30:00Z").commit();
    promise
        .empty()
        .promised("t-0", 5, "2026-01-01T10:30:00Z")
        .commit()
        .advancedTo("2026-01-01T10:00:00Z");

    assertThat(table.opinion().watermark().evidence()).isEqualTo(Evidence.ESTIMATE);
  }

  @Test
  void aBootstrapHoldsOverRestartsUntilItIsCompleted() {
    FinalizationConfig pending = writerOf("orders").bootstrapPending().build();
    table.writer(pending).with("2026-01-01T10:10:00Z").commit().heldBy("BOOTSTRAP_PENDING");
    // The hold is the table's, not the job's: a restart without the declaration changes nothing.
    table
        .writer(writerOf("orders").build())
        .with("2026-01-01T11:10:00Z")
        .commit()
        .heldBy("BOOTSTRAP_PENDING");
    assertThat(table.watermark()).isEqualTo("none");
    assertThat(table.from()).isEqualTo("2026-01-01T11:00:00Z");

    table.publish(table.opinion().completeBootstrap(Instant.EPOCH));

    assertThat(table.watermark()).isEqualTo("2026-01-01T11:00:00Z");
    assertThat(table.from()).isEqualTo("1970-01-01T00:00:00Z");
    // Nor does a restart with the declaration start it again.
    table.writer(pending).with("2026-01-01T12:00:00Z").commit().advancedTo("2026-01-01T12:00:00Z");
  }

  @Test
  void aCompletedBootstrapNeverRaisesTheStart() {
    table
        .writer(writerOf("orders").readFromBeginning().bootstrapPending().build())
        .with("2026-01-01T10:10:00Z")
        .commit();

    table.publish(table.opinion().completeBootstrap(Instant.parse("2026-01-01T05:00:00Z")));

    assertThat(table.from()).isEqualTo("1970-01-01T00:00:00Z");
  }

  @Test
  void aRollbackTakesTheTruthBackAndHoldsUntilAReset() {
    EngineHarness.Writer writer = table.writer(writerOf("orders").readFromBeginning().build());
    writer.with("2026-01-01T09:10:00Z").commit();
    writer.with("2026-01-01T11:10:00Z").commit().advancedTo("2026-01-01T11:00:00Z");

    table.rollBackTo(1);
    assertThat(table.watermark()).isEqualTo("2026-01-01T09:00:00Z");

    // Data goes on, the watermark does not.
    writer.with("2026-01-01T11:20:00Z").rolledBack().commit().heldBy("ROLLED_BACK");
    writer.with("2026-01-01T11:30:00Z").rolledBack().commit().heldBy("ROLLED_BACK");
    assertThat(table.watermark()).isEqualTo("2026-01-01T09:00:00Z");
    assertThat(table.opinion().epoch()).isZero();

    table.publish(table.opinion().reset());

    assertThat(table.opinion().epoch()).isEqualTo(1);
    writer.with("2026-01-01T11:40:00Z").commit().advancedTo("2026-01-01T11:00:00Z");
    assertThat(table.opinion().epoch()).isEqualTo(1);
  }

  @Test
  void anEndOfInputClosesTheGranuleOfTheHighestEvent() {
    EngineHarness.Writer writer =
        table.writer(writerOf("orders").lookback(6, Duration.ofMinutes(30)).build());
    writer.with("2026-01-01T08:10:00Z", "2026-01-01T09:30:00Z").commit().heldBy("WARM_UP");
    writer.with("2026-01-01T08:20:00Z").commit().heldBy("WARM_UP");

    writer.empty().inputEnded().commit().advancedTo("2026-01-01T10:00:00Z");

    assertThat(table.opinion().watermark().evidence()).isEqualTo(Evidence.PROMISE);
  }

  @Test
  void anEndOfInputNeverPassesTheCommitTime() {
    EngineHarness.Writer writer = table.writer(writerOf("orders").build());

    writer.with("2026-01-01T12:02:00Z").inputEnded().commit().advancedTo("2026-01-01T12:00:00Z");
  }

  @Test
  void anEndOfInputWithoutAnyRecordProvesNothing() {
    table.writer(writerOf("orders").build()).empty().inputEnded().commit().heldBy("NO_DATA");
  }

  @Test
  void anEndOfInputWaitsForABootstrapARollbackAndOtherWriters() {
    table
        .writer(writerOf("A").bootstrapPending().build())
        .with("2026-01-01T09:30:00Z")
        .inputEnded()
        .commit()
        .heldBy("BOOTSTRAP_PENDING");
    table.publish(table.opinion().completeBootstrap(Instant.EPOCH));
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");

    table
        .writer(writerOf("A").build())
        .with("2026-01-01T10:30:00Z")
        .inputEnded()
        .rolledBack()
        .commit()
        .heldBy("ROLLED_BACK");
    table.writer(writerOf("B").build()).empty().commit().heldBy("NO_DATA");
    table.writer(writerOf("A").build()).empty().inputEnded().commit().heldBy("WRITER_BEHIND(B)");
  }

  /** The commit-and-swap: what was refused as stale is decided again on the new truth. */
  @Test
  void aRefusedCommitIsDecidedAgainOnTheNewTruth() {
    EngineHarness.Writer a = table.writer(writerOf("A").readFromBeginning().build());
    EngineHarness.Writer b = table.writer(writerOf("B").build());
    a.with("2026-01-01T09:10:00Z").commit().advancedTo("2026-01-01T09:00:00Z");
    b.with("2026-01-01T10:10:00Z").commit();
    EngineHarness.Draft draft = b.with("2026-01-01T09:30:00Z", "2026-01-01T11:30:00Z");

    Outcome first = draft.decide();
    assertThat(draft.decide()).isEqualTo(first);
    assertThat(first.late()).isEmpty();

    // Meanwhile A moves the table to 10:00: the 09:30 row is late now.
    a.with("2026-01-01T10:40:00Z").commit().advancedTo("2026-01-01T10:00:00Z");

    draft.commit().late(Cause.STREAM, Map.of("2026-01-01T09:00:00Z", 1L));
    assertThat(table.watermark()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(Objects.requireNonNull(table.opinion().writers().get("B")).window().total())
        .isEqualTo(2);
  }

  private static FinalizationConfig.Builder writerOf(String name) {
    return FinalizationConfig.forWriter(name).lookback(1, Duration.ZERO);
  }

  private static long epochMillis(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }
}

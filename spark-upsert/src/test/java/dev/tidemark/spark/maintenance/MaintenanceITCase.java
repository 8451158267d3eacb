package dev.tidemark.spark.maintenance;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.millis;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOptions;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Compaction, expiry and tombstones beside merges. */
class MaintenanceITCase extends OrdersFixture {
  private static final SparkSession SPARK = TestSession.get();
  private static final SnapshotExpiry AT_ONCE =
      new SnapshotExpiry(Duration.ZERO, Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
  private static final LedgerCompaction COMPACTION = new LedgerCompaction(2, 1 << 20);

  @Override
  protected void create() {
    create(TestLake.hadoop(directory), 1, "merge-on-read");
  }

  @Test
  void onlyFinalHoursAreCompactedAndTheMergeDoesNotNotice() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    ledger.append(upTo("11:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    ledger.append(upTo("11:00"), insert(70, 3, "state", "c", "amount", "1.00"));
    ledger.append(upTo("11:00"), insert(71, 4, "state", "d", "amount", "1.00"));

    assertThat(COMPACTION.finalHours(SPARK, ledger.name()))
        .isEqualTo(new LedgerCompaction.Result(1, 2, 1));
    assertThat(COMPACTION.finalHours(SPARK, ledger.name()))
        .isEqualTo(new LedgerCompaction.Result(0, 0, 0));
    assertThat(answerAt(ledger.table(), "10:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(((MergeOutcome.Merged) merge()).ledgerRows()).isEqualTo(3);
    assertThat(base.rows()).hasSize(4);
  }

  @Test
  void mergeCompactsWhatItsIncrementTouchedWhereThatIsAskedFor() {
    MergeRequest request =
        new MergeRequest(
            base.name(), List.of(ledger.name()), Set.of(), MergeOptions.STANDARD.after(COMPACTION));
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    ledger.append(upTo("11:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    ledger.append(upTo("11:00"), insert(70, 3, "state", "c", "amount", "1.00"));
    MergeOutcome whole = LedgerMerge.of(SPARK, request).run().get(0);
    assertThat(whole.notes()).contains("compacted 1 hours of the ledger first: 2 files became 1");
    assertThat(base.rows()).hasSize(3);

    ledger.append(upTo("12:00"), insert(130, 4, "state", "d", "amount", "1.00"));
    ledger.append(upTo("12:00"), insert(131, 5, "state", "e", "amount", "1.00"));
    MergeOutcome.Merged range = (MergeOutcome.Merged) LedgerMerge.of(SPARK, request).run().get(0);
    assertThat(range.notes())
        .containsExactly("compacted 1 hours of the ledger first: 2 files became 1");
    assertThat(range.ledgerRows()).isEqualTo(2);
    assertThat(base.rows()).hasSize(5);
    assertThat(LedgerMerge.of(SPARK, request).run().get(0))
        .isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void touchedHoursAreCompacted() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    long first = ledger.append(insert(2, 2, "state", "b", "amount", "1.00"));
    ledger.append(insert(70, 3, "state", "c", "amount", "1.00"));
    ledger.append(insert(71, 4, "state", "d", "amount", "1.00"));
    assertThat(COMPACTION.touchedHours(SPARK, ledger.name(), first))
        .isEqualTo(new LedgerCompaction.Result(1, 2, 1));
  }

  @Test
  void expiryKeepsTheRangeThatTheNextMergeReads() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    ledger.append(upTo("11:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), List.of(base.name()))).isZero();
    merge();
    ledger.append(upTo("12:00"), update(3, 1, "state", "c", "amount", "1.00"));
    ledger.append(upTo("12:00"), delete(4, 2));

    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), List.of(base.name()))).isEqualTo(1);
    MergeOutcome.Merged outcome = (MergeOutcome.Merged) merge();
    assertThat(outcome.ledgerRows()).isEqualTo(2);
    assertThat(outcome.notes()).isEmpty();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "c/1.00"));
  }

  @Test
  void expiryKeepsTheRangeOfTheBaseTableThatIsFurthestBehind() {
    TestBase behind = TestBase.create(lake, "behind", 1, "merge-on-read");
    List<TableName> bases = List.of(base.name(), behind.name());
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    long first = ledger.append(upTo("11:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), bases))
        .as("one has merged nothing yet")
        .isZero();
    merge(behind);
    ledger.append(upTo("12:00"), update(3, 1, "state", "c", "amount", "1.00"));
    ledger.append(upTo("12:00"), delete(4, 2));
    merge();

    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), bases)).isEqualTo(1);
    assertThat(ledger.table().snapshot(first)).isNotNull();
    MergeOutcome.Merged outcome = (MergeOutcome.Merged) merge(behind);
    assertThat(outcome.ledgerRows()).isEqualTo(2);
    assertThat(outcome.notes()).isEmpty();
    assertThat(behind.rows()).isEqualTo(base.rows()).isEqualTo(Map.of(1L, "c/1.00"));
    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), bases)).isEqualTo(2);
  }

  /** Iceberg lets main's own age override the one that is asked for. */
  @Test
  void ageOfMainThatWouldHaveTheNextRangeGoIsRefused() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    long merged = ledger.append(upTo("11:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    ledger.append(upTo("12:00"), update(3, 1, "state", "c", "amount", "1.00"));
    ledger.append(upTo("12:00"), delete(4, 2));
    ledger.table().manageSnapshots().setMaxSnapshotAgeMs("main", 1).commit();

    String statement = refused(() -> AT_ONCE.ledger(SPARK, ledger.name(), List.of(base.name())));
    assertThat(ledger.table().snapshots()).hasSize(4);
    SPARK.sql(statement);
    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), List.of(base.name())))
        .as("by the age that main has now")
        .isZero();
    assertThat(ledger.table().snapshot(merged)).isNotNull();
    assertThat(((MergeOutcome.Merged) merge()).ledgerRows()).isEqualTo(2);
    assertThat(base.rows()).isEqualTo(Map.of(1L, "c/1.00"));
  }

  @Test
  void ageOfMainThatWouldHaveStateAndFinalityGoIsRefused() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    lake.load(base.name()).newAppend().commit();
    lake.load(base.name()).manageSnapshots().setMaxSnapshotAgeMs("main", 1).commit();
    SPARK.sql(refused(() -> AT_ONCE.base(SPARK, base.name())));
    assertThat(AT_ONCE.base(SPARK, base.name())).isZero();
    assertThat(lake.load(base.name()).snapshots()).hasSize(2);
  }

  @Test
  void ageOfMainThatWouldHaveYoungSnapshotsGoIsRefused() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    lake.load(base.name()).manageSnapshots().setMaxSnapshotAgeMs("main", 1).commit();
    SPARK.sql(refused(() -> SnapshotExpiry.standard().base(SPARK, base.name())));
    assertThat(SnapshotExpiry.standard().base(SPARK, base.name())).isZero();
  }

  @Test
  void numberOfSnapshotsThatMainIsToKeepIsKept() {
    for (int id = 1; id <= 4; id++) {
      ledger.append(upTo("11:00"), insert(id, id, "state", "a", "amount", "1.00"));
    }
    merge();
    ledger.table().manageSnapshots().setMinSnapshotsToKeep("main", 3).commit();
    assertThat(AT_ONCE.ledger(SPARK, ledger.name(), List.of(base.name()))).isEqualTo(1);
    assertThat(ledger.table().snapshots()).hasSize(3);
  }

  /** The statement that the refusal advises. */
  private static String refused(ThrowingCallable expiry) {
    Throwable refusal = catchThrowable(expiry);
    assertThat(refusal)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its branch main keeps them for PT0.001S by a setting of its own")
        .hasMessageContaining("Nothing was expired");
    String message = String.valueOf(refusal.getMessage());
    return message.substring(message.indexOf("ALTER TABLE "));
  }

  @Test
  void expiryOfTheBaseTableKeepsItsStateAndItsFinality() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    lake.load(base.name()).newAppend().commit();

    assertThat(AT_ONCE.base(SPARK, base.name())).isEqualTo(1);
    assertThat(merge()).isInstanceOf(MergeOutcome.NothingNew.class);
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void stateOutlivesTheSnapshotsThatCarriedIt() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    lake.load(base.name()).newAppend().commit();
    lake.load(base.name())
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1_000)
        .retainLast(1)
        .commit();
    assertThat(merge()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void oldTombstonesGoAndYoungOnesStay() {
    ledger.append(delete(1, 1), delete(70, 2), insert(2, 3, "state", "a", "amount", "1.00"));
    merge();
    TombstonePurge.run(SPARK, base.name(), at("11:00"));
    assertThat(base.tombstones()).isEqualTo(1);
    assertThat(base.rows()).hasSize(1);
    assertThat(merge()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  private static Instant at(String time) {
    return Instant.ofEpochMilli(millis(time));
  }

  private MergeOutcome merge() {
    return merge(base);
  }

  private MergeOutcome merge(TestBase into) {
    return LedgerMerge.of(SPARK, MergeRequest.of(into.name(), ledger.name())).run().get(0);
  }
}

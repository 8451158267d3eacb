package dev.tidemark.spark.maintenance;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.millis;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOptions;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
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
    return LedgerMerge.of(SPARK, MergeRequest.of(base.name(), ledger.name())).run().get(0);
  }
}

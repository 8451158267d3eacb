package dev.tidemark.spark.merge;

import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.millis;
import static dev.tidemark.spark.testing.TestOpinions.of;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** What a merge says of the base table's completeness. */
abstract class FinalityContract extends OrdersFixture {
  abstract TestLake lake(Path directory);

  @Override
  protected void create() {
    create(lake(directory), 2, "merge-on-read");
  }

  @Test
  void watermarkIsInTheSummaryAndInThePropertyOfTheSameVersion() {
    int versions = lake.versions(base.name());
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();

    assertThat(lake.versions(base.name())).isEqualTo(versions + 1);
    Table table = lake.load(base.name());
    String watermark = Long.toString(millis("12:00"));
    assertThat(table.currentSnapshot().summary())
        .containsEntry("finalization.watermark-ms", watermark);
    assertThat(table.properties())
        .containsEntry("finalization.watermark-ms", watermark)
        .containsEntry(
            "finalization.snapshot-id", Long.toString(table.currentSnapshot().snapshotId()));
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("09:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void idleRunMovesTheWatermarkInOneVersion() {
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    int versions = lake.versions(base.name());
    ledger.append(upTo("13:00"));
    assertThat(run()).isInstanceOf(MergeOutcome.Idle.class);
    assertThat(lake.versions(base.name())).isEqualTo(versions + 1);
    assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(run()).isInstanceOf(MergeOutcome.NothingNew.class);
    assertThat(base.rows()).hasSize(1);
  }

  @Test
  void ledgersHoldIsTheBaseTablesAnswer() {
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    Hold behind = Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("shop-1"));
    ledger.append(of("10:00", "12:00", behind), insert(2, 2, "state", "b", "amount", "1.00"));
    run();
    assertThat(((FinalityAnswer.NotReady) answerAt("12:30")).hold()).isEqualTo(behind);
  }

  @Test
  void hourThatGotLateRowsInTheLedgerIsReopenedInTheBaseTable() {
    Opinion late = upTo("12:00");
    ReopenedGranules reopened =
        ReopenedGranules.NONE.plus(GranuleCounts.of(new TreeMap<>(Map.of(millis("10:00"), 3L))));
    ledger.append(
        new Opinion(late.watermark(), late.policy(), null, 0, false, late.writers(), reopened),
        insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    assertThat(answerAt("10:30"))
        .isInstanceOfSatisfying(
            FinalityAnswer.LateReopened.class, answer -> assertThat(answer.rows()).isEqualTo(3));
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void rolledBackBaseTableIsRevokedUntilTheMergeHasCaughtUpAndAResetWasMade() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    long first = lake.load(base.name()).currentSnapshot().snapshotId();
    ledger.append(upTo("13:00"), update(2, 1, "state", "b", "amount", "1.00"));
    run();
    lake.load(base.name()).manageSnapshots().rollbackTo(first).commit();
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Revoked.class);

    assertThat(run()).isInstanceOf(MergeOutcome.Merged.class);
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/1.00"));
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Revoked.class);

    FinalizationAdmin.of(lake.load(base.name())).reset();
    run();
    assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void watermarkNeverGoesBackThoughTheLedgersDoes() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    long first = ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    ledger.append(upTo("13:00"));
    run();
    ledger.table().manageSnapshots().rollbackTo(first).commit();
    MergeOutcome outcome = run();
    assertThat(outcome.notes()).anyMatch(note -> note.contains("rolled back"));
    assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(((FinalityAnswer.NotReady) answerAt("13:30")).hold())
        .isEqualTo(Hold.of(Hold.Reason.ROLLED_BACK));
  }

  @Test
  void baseTableOfSeveralLedgersTakesTheMinimumAtTheirMergedSnapshots() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    MergeRequest both =
        new MergeRequest(base.name(), List.of(ledger.name(), other.name()), Set.of());
    ledger.append(of("10:00", "13:00", null), insert(1, 1, "state", "a", "amount", "1.00"));
    merge(TestSession.get(), both);
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);

    other.append(of("11:00", "12:00", null), insert(1, 2, "state", "b", "amount", "1.00"));
    merge(TestSession.get(), both);
    assertThat(base.rows()).hasSize(2);
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.NotReady.class);

    ledger.append(of("10:00", "14:00", null), insert(2, 4, "state", "d", "amount", "1.00"));
    merge(TestSession.get(), both);
    assertThat(((FinalityAnswer.NotReady) answerAt("12:30")).hold())
        .isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("db.other")));
    other.append(of("11:00", "15:00", null), insert(2, 3, "state", "c", "amount", "1.00"));
    merge(TestSession.get(), both);
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("14:30")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void partOfTheLedgersIsRefused() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    ledger.append(of("10:00", "13:00", null), insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(of("11:00", "12:00", null), insert(1, 2, "state", "b", "amount", "1.00"));
    merge(TestSession.get(), both(ledger, other));
    int versions = lake.versions(base.name());
    ledger.append(of("10:00", "14:00", null), insert(2, 3, "state", "c", "amount", "1.00"));
    assertThatThrownBy(this::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("without its other ledgers [db.other]");
    assertThat(lake.versions(base.name())).isEqualTo(versions);
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void ledgerThatJoinsBehindTheWatermarkIsAnsweredForOnceItHasReachedIt() {
    for (boolean newcomerFirst : new boolean[] {false, true}) {
      base = TestBase.create(lake, "orders_" + newcomerFirst, 2, "merge-on-read");
      TestLedger first = TestLedger.create(lake, "first_" + newcomerFirst, 2);
      TestLedger newcomer = TestLedger.create(lake, "newcomer_" + newcomerFirst, 2);
      MergeRequest request = newcomerFirst ? both(newcomer, first) : both(first, newcomer);
      first.append(of("10:00", "13:00", null), insert(1, 1, "state", "a", "amount", "1.00"));
      merge(TestSession.get(), MergeRequest.of(base.name(), first.name()));
      assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.Ready.class);

      newcomer.append(of("11:00", "12:00", null), insert(1, 2, "state", "b", "amount", "1.00"));
      merge(TestSession.get(), request);
      for (String time : List.of("10:30", "11:30", "12:30")) {
        assertThat(answerAt(time)).as(time).isInstanceOf(FinalityAnswer.Unknown.class);
      }
      newcomer.append(of("11:00", "12:30", null), insert(2, 2, "state", "c", "amount", "1.00"));
      merge(TestSession.get(), request);
      assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.Unknown.class);

      newcomer.append(of("11:00", "14:00", null), insert(3, 2, "state", "d", "amount", "1.00"));
      merge(TestSession.get(), request);
      assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);
      assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
      assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.Ready.class);
      assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.NotReady.class);
    }
  }

  @Test
  void lateRowsOfAForeignAppendStayReopenedThroughTheCommitsOfOtherLedgers() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    int field = ledger.table().schema().findField("cdc_event_time").fieldId();
    ledger
        .table()
        .updateProperties()
        .set(Mirror.EVENT_TIME_FIELD_ID, Integer.toString(field))
        .commit();
    ledger.append(upTo("13:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(upTo("13:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    MergeRequest both = both(ledger, other);
    merge(TestSession.get(), both);
    ledger.append(insert(2, 3, "state", "late", "amount", "1.00"));
    merge(TestSession.get(), both);
    assertThat(answerAt("10:00")).isInstanceOf(FinalityAnswer.LateReopened.class);
    int versions = lake.versions(base.name());
    assertThat(merge(TestSession.get(), both))
        .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(MergeOutcome.NothingNew.class));
    assertThat(lake.versions(base.name())).isEqualTo(versions);
  }

  @Test
  void nothingThatNobodyReadIsClaimedOfALedgerThatWasMadeAgain() {
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);

    makeAgain();
    ledger.append(of("11:00", "12:00", null), insert(120, 2, "state", "b", "amount", "1.00"));
    assertThat(run().notes())
        .contains(
            "merging the whole ledger, guarded by cdc_ord: ledger %s is another table than the one merged before (it was dropped and made again)"
                .formatted(ledger.name()));
    assertThat(base.rows()).hasSize(2);
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(run()).isInstanceOf(MergeOutcome.NothingNew.class);

    makeAgain();
    ledger.append(of("14:00", "15:00", null), insert(270, 3, "state", "c", "amount", "1.00"));
    run();
    for (String time : List.of("10:30", "11:30", "12:30", "13:30")) {
      assertThat(answerAt(time)).as(time).isInstanceOf(FinalityAnswer.Unknown.class);
    }
    assertThat(answerAt("14:30")).isInstanceOf(FinalityAnswer.Ready.class);
    ledger.append(of("14:00", "16:00", null), insert(271, 4, "state", "d", "amount", "1.00"));
    run();
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("15:30")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void ledgerThatWasMadeAgainBehindTheWatermarkIsAnsweredForOnceItHasReachedIt() {
    ledger.append(upTo("13:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    makeAgain();
    ledger.append(of("11:00", "12:00", null), insert(61, 2, "state", "b", "amount", "1.00"));
    run();
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.NotReady.class);
    ledger.append(of("11:00", "14:00", null), insert(62, 3, "state", "c", "amount", "1.00"));
    run();
    assertThat(answerAt("10:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  /** One of two: the other's claims do not cover what was lost. */
  @Test
  void oneOfTwoLedgersThatWasMadeAgainRaisesWhatIsClaimed() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(upTo("12:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    merge(TestSession.get(), both(ledger, other));
    makeAgain();
    ledger.append(of("14:00", "15:00", null), insert(270, 3, "state", "c", "amount", "1.00"));
    other.append(upTo("16:00"), insert(2, 4, "state", "d", "amount", "1.00"));
    merge(TestSession.get(), both(other, ledger));
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("14:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("15:30")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  /** A ledger whose history was lost without it, or whose table an older state does not name. */
  @Test
  void nothingThatNobodyReadIsClaimedOfALedgerThatBeginsAfterWhatWasMergedOfIt() {
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    ledger.append(of("14:00", "15:00", null), insert(2, 2, "state", "b", "amount", "1.00"));
    assertThat(run().notes())
        .contains(
            "ledger %s holds what happened from 2026-01-01T14:00:00Z on, and was merged up to 2026-01-01T12:00:00Z before: nobody read what is between, so nothing before the former is claimed any more"
                .formatted(ledger.name()));
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(answerAt("14:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(run()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void dumpThatFilledTheBaseTableDoesNotCoverWhatALaterLedgerOfItsNameMissed() {
    for (boolean isTableKnown : new boolean[] {true, false}) {
      base = TestBase.create(lake, "dumped_" + isTableKnown, 2, "merge-on-read");
      ledger = TestLedger.create(lake, "ledger_" + isTableKnown, 2);
      String position = insert(5, 1).cdcOrd(0, 0);
      Table table = lake.load(base.name());
      MergeState.Ledger dumped = MergeState.Ledger.NEW.bootstrappedAt(position);
      new MergeCommit(null, MergeState.NONE.with(ledger.name().inCatalog(), dumped), null, null)
          .alone(table);
      ledger.append(upTo("12:00"), insert(6, 1, "state", "a", "amount", "1.00"));
      run();
      assertThat(answerAt("03:30")).isInstanceOf(FinalityAnswer.Ready.class);
      if (!isTableKnown) {
        forgetTable();
      }
      makeAgain();
      ledger.append(of("14:00", "15:00", null), insert(270, 3, "state", "c", "amount", "1.00"));
      run();
      for (String time : List.of("03:30", "11:30", "13:30")) {
        assertThat(answerAt(time)).as(time).isInstanceOf(FinalityAnswer.Unknown.class);
      }
      ledger.append(of("14:00", "16:00", null));
      run();
      assertThat(answerAt("03:30")).isInstanceOf(FinalityAnswer.Unknown.class);
      assertThat(answerAt("15:30")).isInstanceOf(FinalityAnswer.Ready.class);
    }
  }

  /** Until its first hours have passed, a ledger's watermark is below its own beginning. */
  @Test
  void youngLedgerHasLostNothingThoughItsWatermarkIsBelowItsBeginning() {
    for (boolean isTableKnown : new boolean[] {true, false}) {
      base = TestBase.create(lake, "young_" + isTableKnown, 2, "merge-on-read");
      ledger = TestLedger.create(lake, "ledger_young_" + isTableKnown, 2);
      MergeState.Ledger dumped = MergeState.Ledger.NEW.bootstrappedAt(insert(5, 1).cdcOrd(0, 0));
      new MergeCommit(null, MergeState.NONE.with(ledger.name().inCatalog(), dumped), null, null)
          .alone(lake.load(base.name()));
      ledger.append(of("11:00", "10:00", null), insert(6, 1, "state", "a", "amount", "1.00"));
      run();
      if (!isTableKnown) {
        forgetTable();
      }
      ledger.append(of("11:00", "10:00", null), insert(7, 2, "state", "b", "amount", "1.00"));
      assertThat(run().notes()).isEmpty();
      assertThat(answerAt("03:30")).isInstanceOf(FinalityAnswer.Ready.class);
      ledger.append(of("11:00", "12:00", null));
      run();
      for (String time : List.of("03:30", "10:30", "11:30")) {
        assertThat(answerAt(time)).as(time).isInstanceOf(FinalityAnswer.Ready.class);
      }
    }
  }

  @Test
  void revisionsGoOnWhereALedgerWasMadeAgain() {
    ledger.append(reopened("12:00", 2), insert(1, 1, "state", "a", "amount", "1.00"));
    run();
    assertThat(revisionAt("10:30")).isEqualTo(2);
    makeAgain();
    ledger.append(upTo("13:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    run();
    assertThat(revisionAt("10:30")).isEqualTo(2);
    ledger.append(reopened("13:00", 1), insert(3, 3, "state", "late", "amount", "1.00"));
    run();
    assertThat(revisionAt("10:30")).isEqualTo(3);
  }

  @Test
  void revisionsGoOnWhereAnotherLedgerWasRetired() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    ledger.append(reopened("12:00", 1), insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(reopened("12:00", 2), insert(1, 2, "state", "b", "amount", "1.00"));
    merge(TestSession.get(), both(ledger, other));
    assertThat(revisionAt("10:30")).isEqualTo(3);
    FinalizationAdmin.of(lake.load(base.name())).retire("db.other");
    run();
    assertThat(revisionAt("10:30")).isEqualTo(3);
    ledger.append(reopened("12:00", 2), insert(2, 3, "state", "late", "amount", "1.00"));
    run();
    assertThat(revisionAt("10:30")).isEqualTo(4);
  }

  /** From 10:00 on, with that many commits of late rows at 10:00. */
  private static Opinion reopened(String upTo, int revisions) {
    Opinion late = upTo(upTo);
    ReopenedGranules reopened = ReopenedGranules.NONE;
    for (int i = 0; i < revisions; i++) {
      reopened = reopened.plus(GranuleCounts.of(new TreeMap<>(Map.of(millis("10:00"), 3L))));
    }
    return new Opinion(late.watermark(), late.policy(), null, 0, false, late.writers(), reopened);
  }

  private int revisionAt(String time) {
    return ((FinalityAnswer.LateReopened) answerAt(time)).revision();
  }

  /** Drops the ledger, and creates it once more. */
  private void makeAgain() {
    lake.catalog().dropTable(ledger.name().identifier());
    ledger = TestLedger.create(lake, ledger.name().table(), 2);
  }

  /** Has the base table's state name no tables, as an older version wrote it. */
  private void forgetTable() {
    Table table = lake.load(base.name());
    String name = ledger.name().inCatalog();
    MergeState.Ledger known = MergeState.of(table).of(name);
    MergeState.Ledger old =
        new MergeState.Ledger(known.snapshotId(), known.floor(), known.bootstrapped(), null, null);
    TableTruth truth = TableTruth.read(table, "main");
    new MergeCommit(
            table.currentSnapshot().snapshotId(),
            MergeState.NONE.with(name, old),
            truth.opinion(),
            null)
        .alone(table);
  }

  private MergeRequest both(TestLedger one, TestLedger other) {
    return new MergeRequest(base.name(), List.of(one.name(), other.name()), Set.of());
  }

  @Test
  void catalogThatDoesNotCarryFinalityIsRefused() {
    String plain = "plain_" + base.name().catalog();
    var conf = TestSession.get().conf();
    conf.set("spark.sql.catalog." + plain, "org.apache.iceberg.spark.SparkCatalog");
    conf.set("spark.sql.catalog." + plain + ".type", "hadoop");
    conf.set("spark.sql.catalog." + plain + ".warehouse", directory.resolve("plain").toString());
    TestSession.get().sql("CREATE TABLE " + plain + ".db.t (id BIGINT) USING iceberg");
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    assertThatThrownBy(
            () ->
                merge(
                    TestSession.get(),
                    MergeRequest.of(TableName.parse(plain + ".db.t"), ledger.name())))
        .hasMessageContaining("catalog " + plain + " does not carry finality");
  }

  private MergeOutcome run() {
    return merge(TestSession.get(), MergeRequest.of(base.name(), ledger.name())).get(0);
  }

  private static List<MergeOutcome> merge(SparkSession spark, MergeRequest request) {
    return LedgerMerge.of(spark, request).run();
  }
}

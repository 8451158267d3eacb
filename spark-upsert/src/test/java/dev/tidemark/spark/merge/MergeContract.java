package dev.tidemark.spark.merge;

import static dev.tidemark.spark.testing.TestChange.NULL;
import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.snapshot;
import static dev.tidemark.spark.testing.TestChange.truncate;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.iceberg.commit.FinalizationAdmin;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestChange;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.iceberg.spark.actions.SparkActions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a merge does to rows, whatever the catalog and the way rows are replaced. */
abstract class MergeContract {
  static final int BUCKETS = 2;

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLake lake;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLedger ledger;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestBase base;

  abstract TestLake lake(Path directory);

  abstract String mode();

  @BeforeEach
  void create() {
    lake = lake(directory);
    ledger = TestLedger.create(lake, "ledger", BUCKETS);
    base = TestBase.create(lake, "orders", BUCKETS, mode());
  }

  @Test
  void insertsUpdatesAndDeletesBecomeTheRowsOfTheSource() {
    ledger.append(
        snapshot(1, "state", "old", "amount", "1.00"),
        insert(1, 2, "state", "new", "amount", "2.50"),
        insert(2, 3, "state", "new", "amount", NULL));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "old/1.00", 2L, "new/2.50", 3L, "new/null"));

    ledger.append(
        update(3, 1, "state", "paid", "amount", "1.00"),
        delete(4, 2, "state", "new", "amount", "2.50"),
        insert(5, 4, "state", "new", "amount", "4.00"));
    MergeOutcome.Merged outcome = merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "paid/1.00", 3L, "new/null", 4L, "new/4.00"));
    assertThat(base.tombstones()).isEqualTo(1);
    assertThat(outcome.ledgerRows()).isEqualTo(3);
    assertThat(outcome.exchanges()).isZero();
    assertThat(outcome.notes()).isEmpty();
  }

  @Test
  void lastChangeOfOneTransactionWinsThoughAllHaveOneTimestamp() { // case 17
    ledger.append(
        insert(7, 1, "state", "c", "amount", "1.00").place(1),
        update(7, 1, "state", "u2", "amount", "3.00").place(3),
        update(7, 1, "state", "u1", "amount", "2.00").place(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "u2/3.00"));
  }

  @Test
  void olderChangeThatIsDeliveredAgainNeverRegressesARow() { // case 18
    ledger.append(update(9, 1, "state", "B", "amount", "9.00"));
    merged();
    ledger.append(update(8, 1, "state", "A", "amount", "8.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "B/9.00"));
    ledger.append(update(9, 1, "state", "B", "amount", "9.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "B/9.00"));
  }

  @Test
  void olderChangeNeverResurrectsADeletedRow() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    ledger.append(delete(5, 1, "state", "a", "amount", "1.00"), delete(6, 2));
    merged();
    ledger.append(
        insert(1, 1, "state", "a", "amount", "1.00"), insert(2, 2, "state", "b", "amount", NULL));
    merged();
    assertThat(base.rows()).isEmpty();
    ledger.append(insert(7, 1, "state", "again", "amount", "7.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "again/7.00"));
  }

  @Test
  void changedPrimaryKeyLeavesOneRowUnderTheNewKey() { // case 19
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(
        delete(2, 1, "state", "a", "amount", "1.00").place(1),
        insert(2, 9, "state", "a", "amount", "1.00").place(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(9L, "a/1.00"));
  }

  @Test
  void columnThatAnUpdateLeavesOutKeepsItsValue() { // case 20
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(update(2, 1, "state", "b"));
    assertThat(merged().notes()).anyMatch(note -> note.contains("leave columns out"));
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/1.00"));
  }

  @Test
  void columnThatAChangedKeyLeavesOutIsThatOfTheOldRow() { // cases 19 and 20 in one
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(delete(2, 1).half(1), insert(2, 9, "state", "b").half(2));
    MergeOutcome.Merged outcome = merged();
    assertThat(base.rows()).isEqualTo(Map.of(9L, "b/1.00"));
    assertThat(outcome.exchanges()).as("the completed images alone").isEqualTo(1);
    assertThat(outcome.notes())
        .noneMatch(note -> note.contains("on the way of the rows"))
        .anyMatch(note -> note.startsWith("1 changed keys leave columns out"))
        .noneMatch(note -> note.contains("known to nobody"));
    assertThat(run()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void halvesOfAChangedKeyMayComeWithTwoMerges() {
    ledger.append(
        insert(1, 1, "state", "a", "amount", "1.00"), insert(1, 2, "state", "b", "amount", NULL));
    ledger.append(
        update(2, 1, "amount", "2.00"),
        delete(3, 1).half(1),
        delete(4, 2, "state", "b", "amount", NULL).half(1));
    merged();
    assertThat(base.rows()).isEmpty();
    ledger.append(
        insert(3, 11, "state", "A").half(2),
        insert(4, 12, "state", "B").half(2),
        insert(5, 1, "state", "new", "amount", "5.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "new/5.00", 11L, "A/2.00", 12L, "B/null"));
  }

  @Test
  void newRowWaitsForTheOldOne() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(insert(3, 9, "state", "b").half(2));
    int versions = lake.versions(base.name());
    assertThatThrownBy(this::run)
        .isInstanceOf(MergeFailedException.class)
        .hasMessageContaining("new key [\"9\"]")
        .hasMessageContaining("--missing-half null");
    assertThat(lake.versions(base.name())).isEqualTo(versions);

    ledger.append(update(2, 1, "amount", "2.00"), delete(3, 1).half(1));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(9L, "b/2.00"));
  }

  @Test
  void newRowOfWhichAHalfNeverComesIsMergedIfThatIsAskedFor() {
    ledger.append(insert(3, 9, "state", "b").half(2));
    MergeOutcome outcome = merged(MergeOptions.STANDARD.on(MergeOptions.MissingHalf.NULL));
    assertThat(base.rows()).isEqualTo(Map.of(9L, "b/null"));
    assertThat(outcome.notes()).anyMatch(note -> note.startsWith("1 values of changed keys"));
  }

  @Test
  void keyThatChangesOftenTakesItsColumnsAlong() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(
        insert(5, 4, "state", "e").half(9),
        delete(2, 1).half(1),
        insert(2, 2).half(2),
        delete(3, 2).half(4),
        insert(3, 3, "state", "c").half(5),
        delete(5, 3).half(8),
        update(4, 3, "amount", "4.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(4L, "e/4.00"));
    ledger.append(delete(6, 4).half(1), insert(6, 1).half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "e/4.00"));
  }

  /** Row 1 is from a dump: the ledger has never seen what it holds. */
  @Test
  void halvesThatAreSentAgainChangeNothing() {
    base.addByHand(List.of(1L), "x", "1.00");
    ledger.append(delete(2, 1).half(1));
    merged();
    ledger.append(delete(2, 1).half(1));
    merged();
    ledger.append(insert(2, 9, "state", "b").half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(9L, "b/1.00"));
    ledger.append(insert(3, 1, "state", "new", "amount", "3.00"));
    merged();
    ledger.append(insert(2, 9, "state", "b").half(2), delete(2, 1).half(1));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "new/3.00", 9L, "b/1.00"));
  }

  @Test
  void wholeLedgerMergedAgainKeepsWhatOnlyTheBaseTableKnows() {
    base.addByHand(List.of(1L), "x", "1.00");
    ledger.append(delete(2, 1).half(1), insert(2, 9, "state", "b").half(2));
    merged();
    TestSession.get().sql("DELETE FROM " + base.name().sql() + " WHERE cdc_deleted");
    ledger.append(update(3, 9, "state", "c"));
    expireAllButTheHead();
    assertThat(merged().notes()).anyMatch(note -> note.contains("were expired"));
    assertThat(base.rows()).isEqualTo(Map.of(9L, "c/1.00"));
  }

  /** The connector has begun to send again when the ledger's commit is made. */
  @Test
  void incrementThatEndsInsideWhatIsSentAgainRegressesNothing() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"), update(2, 1, "amount", "2.00"));
    merged();
    ledger.append(update(3, 1, "state", "b"), insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/2.00"));
    ledger.append(update(2, 1, "amount", "2.00"), update(3, 1, "state", "b"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/2.00"));
  }

  /** Row 1 is from a dump, and the only copy of what it holds. */
  @Test
  void oldRowIsNotOverwrittenWhileTheNewOneIsMissing() {
    base.addByHand(List.of(1L), "x", "1.00");
    TestChange reused = insert(3, 1, "state", "new", "amount", "3.00");
    ledger.append(delete(2, 1).half(1), reused);
    assertThatThrownBy(this::run)
        .hasMessageContaining("the key [\"1\"] is used again")
        .hasMessageContaining("--missing-half null");
    ledger.append(insert(2, 9, "state", "b").half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "new/3.00", 9L, "b/1.00"));
  }

  @Test
  void tombstoneIsNotOverwrittenWhileTheNewRowIsMissing() {
    base.addByHand(List.of(1L), "x", "1.00");
    ledger.append(delete(2, 1).half(1));
    merged();
    ledger.append(insert(3, 1, "state", "new", "amount", "3.00"));
    assertThatThrownBy(this::run).hasMessageContaining("the key [\"1\"] is used again");
    ledger.append(insert(2, 9, "state", "b").half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "new/3.00", 9L, "b/1.00"));
    ledger.append(update(4, 1, "state", "newer"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "newer/3.00", 9L, "b/1.00"));
  }

  @Test
  void oldKeyThatIsUsedAgainBeforeTheNewRowComesIsToldApart() {
    ledger.append(
        insert(1, 1, "state", "a", "amount", "1.00"), delete(2, 1).half(1), insert(2, 2).half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(2L, "a/1.00"));
    ledger.append(delete(3, 2).half(1), insert(4, 2, "state", "other", "amount", "4.00"));
    merged(MergeOptions.STANDARD.on(MergeOptions.MissingHalf.NULL));
    ledger.append(insert(3, 3).half(2), delete(5, 3).half(1), insert(5, 5).half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(2L, "other/4.00", 5L, "a/1.00"));
  }

  @Test
  void columnThatTheSourceHasGainedIsMergedAndFoldingEnds() {
    ledger.append(
        insert(1, 1, "state", "new", "amount", "1.00"),
        insert(2, 2, "state", "new", "amount", "2.00"));
    merged();
    TestSession.get().sql("ALTER TABLE " + base.name().sql() + " ADD COLUMN note STRING");
    ledger.append(
        update(3, 1, "state", "before the ALTER", "amount", "1.00"),
        insert(4, 3, "state", "after it", "amount", "3.00", "note", "a"));
    assertThat(merged().notes()).anyMatch(note -> note.contains("until a merge meets none"));
    assertThat(images()).isEqualTo("updates");
    ledger.append(update(5, 2, "state", "left out too", "amount", "2.00"));
    merged();
    assertThat(images()).isEqualTo("updates");

    ledger.append(update(6, 1, "state", "after it", "amount", "1.00", "note", "b"));
    assertThat(merged().notes()).isEmpty();
    assertThat(images()).isEqualTo("whole");
    ledger.append(update(7, 1, "state", "after it", "amount", "1.00", "note", "b"));
    merged();
    assertThat(lake.load(base.name()).currentSnapshot().summary())
        .as("every commit says it again")
        .containsEntry("tidemark.state.merge-images", "whole");
    assertThat(base.rows())
        .isEqualTo(Map.of(1L, "after it/1.00", 2L, "left out too/2.00", 3L, "after it/3.00"));
    assertThat(
            TestSession.get()
                .sql("SELECT note FROM " + base.name().sql() + " ORDER BY id")
                .collectAsList()
                .toString())
        .isEqualTo("[[b], [null], [a]]");
  }

  private String images() {
    return lake.load(base.name()).properties().getOrDefault("tidemark.state.merge-images", "");
  }

  @Test
  void severalPartialUpdatesOfOneKeyAddUp() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(
        update(2, 1, "state", "b"),
        update(3, 1, "amount", "3.00"),
        insert(4, 2, "state", "x", "amount", "1.00"),
        update(5, 2, "amount", NULL),
        update(6, 3, "amount", "6.00").before("state", "known", "amount", "5.00"),
        delete(7, 4));
    MergeOutcome.Merged outcome = merged();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/3.00", 2L, "x/null", 3L, "known/6.00"));
    assertThat(outcome.exchanges()).isZero();
  }

  @Test
  void truncateRemovesOlderRowsAndNothingBringsThemBack() {
    ledger.append(
        insert(1, 1, "state", "a", "amount", "1.00"), insert(2, 2, "state", "b", "amount", NULL));
    merged();
    ledger.append(
        insert(3, 3, "state", "c", "amount", NULL),
        truncate(4),
        insert(5, 2, "state", "d", "amount", NULL));
    assertThat(merged().notes()).anyMatch(note -> note.contains("TRUNCATE"));
    assertThat(base.rows()).isEqualTo(Map.of(2L, "d/null"));

    ledger.append(
        insert(1, 1, "state", "a", "amount", "1.00"), insert(6, 6, "state", "e", "amount", NULL));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(2L, "d/null", 6L, "e/null"));
  }

  @Test
  void truncateRemovesRowsThatNoChangeHasTouchedYet() {
    base.addByHand(List.of(7L), "x", "1.00");
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"), truncate(2));
    merged();
    assertThat(base.rows()).isEmpty();
    assertThat(TestSession.get().table(base.name().toString()).count()).isZero();
  }

  @Test
  void truncateOfOneOfSeveralLedgersIsRefusedUntilSomebodySaysWhatItDoes() {
    TestLedger other = TestLedger.create(lake, "other", BUCKETS);
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(insert(1, 2, "state", "b", "amount", "1.00"));
    truncating(MergeOptions.Truncate.OF_THE_ONLY_LEDGER, other);
    ledger.append(truncate(3), insert(4, 4, "state", "d", "amount", "1.00"));
    assertThatThrownBy(() -> truncating(MergeOptions.Truncate.OF_THE_ONLY_LEDGER, other))
        .isInstanceOf(MergeFailedException.class)
        .hasMessageContaining("--truncate ignore");
    truncating(MergeOptions.Truncate.IGNORE, other);
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 4L);
    ledger.append(truncate(3), insert(4, 4, "state", "d", "amount", "1.00"));
    truncating(MergeOptions.Truncate.OF_THE_ONLY_LEDGER, other);
    assertThat(base.rows().keySet()).as("sent again").containsExactly(1L, 2L, 4L);
    ledger.append(truncate(5), insert(6, 6, "state", "e", "amount", "1.00"));
    assertThatThrownBy(() -> truncating(MergeOptions.Truncate.OF_THE_ONLY_LEDGER, other))
        .as("a newer one")
        .hasMessageContaining("--truncate ignore");
    truncating(MergeOptions.Truncate.APPLY, other);
    assertThat(base.rows().keySet()).containsExactly(6L);
  }

  @Test
  void ignoredTruncateIsNotAppliedByALaterMergeOfTheWholeLedger() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(truncate(2), insert(3, 3, "state", "c", "amount", "1.00"));
    merged(MergeOptions.STANDARD.on(MergeOptions.Truncate.IGNORE));
    for (MergeOptions.Truncate later :
        List.of(MergeOptions.Truncate.OF_THE_ONLY_LEDGER, MergeOptions.Truncate.APPLY)) {
      ledger.append(update(4, 3, "state", later.name(), "amount", "1.00"));
      ledger.append();
      expireAllButTheHead();
      assertThat(merged(MergeOptions.STANDARD.on(later)).notes())
          .anyMatch(note -> note.contains("were expired"))
          .noneMatch(note -> note.contains("TRUNCATE"));
      assertThat(base.rows().keySet()).containsExactly(1L, 3L);
    }
    ledger.append(truncate(5));
    assertThat(merged().notes()).anyMatch(note -> note.contains("older rows are removed"));
    assertThat(base.rows()).isEmpty();
  }

  /** The rows of a ledger that is finished are no others' to remove. */
  @Test
  void truncateIsRefusedAlsoWhereTheOtherLedgerWasRetired() {
    TestLedger other = TestLedger.create(lake, "other", BUCKETS);
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(upTo("12:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    truncating(MergeOptions.Truncate.OF_THE_ONLY_LEDGER, other);
    FinalizationAdmin.of(lake.load(base.name())).retire("db.other");
    ledger.append(truncate(3), insert(4, 4, "state", "d", "amount", "1.00"));
    assertThatThrownBy(this::run)
        .isInstanceOf(MergeFailedException.class)
        .hasMessageContaining("the base table has, or had, other ledgers [db.other]")
        .hasMessageContaining("--truncate ignore");
    assertThat(base.rows().keySet()).containsExactly(1L, 2L);
    merged(MergeOptions.STANDARD.on(MergeOptions.Truncate.IGNORE));
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 4L);
  }

  @Test
  void truncateRemovesWhatAnotherLedgerHasYetToBringInWhateverOrderTheyAreMerged() {
    for (boolean isFirst : new boolean[] {true, false}) {
      base = TestBase.create(lake, "orders_" + isFirst, BUCKETS, mode());
      ledger = TestLedger.create(lake, "ledger_" + isFirst, BUCKETS);
      TestLedger other = TestLedger.create(lake, "other_" + isFirst, BUCKETS);
      TestLedger one = isFirst ? ledger : other;
      TestLedger two = isFirst ? other : ledger;
      ledger.append(insert(10, 1, "state", "a", "amount", "1.00"));
      truncating(MergeOptions.Truncate.APPLY, one, two);

      ledger.append(truncate(50), insert(51, 1, "state", "A", "amount", "1.00"));
      other.append(
          insert(45, 2, "state", "older", "amount", "1.00"),
          insert(52, 3, "state", "newer", "amount", "1.00"));
      truncating(MergeOptions.Truncate.APPLY, one, two);
      assertThat(base.rows()).isEqualTo(Map.of(1L, "A/1.00", 3L, "newer/1.00"));
    }
  }

  @Test
  void rowsOfAnotherLedgerThatATruncateRemovedStayAwayWhenItIsMergedAsAWhole() {
    TestLedger other = TestLedger.create(lake, "other", BUCKETS);
    ledger.append(insert(5, 1, "state", "a", "amount", "1.00"));
    other.append(insert(10, 2, "state", "b", "amount", "1.00"));
    truncating(MergeOptions.Truncate.APPLY, ledger, other);
    ledger.append(truncate(50));
    truncating(MergeOptions.Truncate.APPLY, ledger, other);
    assertThat(base.rows()).isEmpty();

    other.append(insert(10, 2, "state", "b", "amount", "1.00"));
    truncating(MergeOptions.Truncate.APPLY, ledger, other);
    assertThat(base.rows()).as("sent again").isEmpty();

    other.append(insert(60, 3, "state", "c", "amount", "1.00"));
    other.append();
    expireAllButTheHead(other);
    assertThat(truncating(MergeOptions.Truncate.APPLY, ledger, other).get(1).notes())
        .anyMatch(note -> note.contains("were expired"));
    assertThat(base.rows()).isEqualTo(Map.of(3L, "c/1.00"));
  }

  /** A floor that another ledger has from its own dump, or TRUNCATE, never sinks. */
  @Test
  void olderTruncateLeavesAHigherFloorWhereItIs() {
    TestLedger other = TestLedger.create(lake, "other", BUCKETS);
    other.append(truncate(70), insert(71, 2, "state", "b", "amount", "1.00"));
    truncating(MergeOptions.Truncate.APPLY, ledger, other);
    ledger.append(truncate(50), insert(60, 1, "state", "older", "amount", "1.00"));
    other.append(insert(60, 3, "state", "older", "amount", "1.00"));
    truncating(MergeOptions.Truncate.APPLY, ledger, other);
    assertThat(base.rows()).isEqualTo(Map.of(2L, "b/1.00"));
  }

  private void truncating(MergeOptions.Truncate answer, TestLedger other) {
    truncating(answer, ledger, other);
  }

  private List<MergeOutcome> truncating(
      MergeOptions.Truncate answer, TestLedger one, TestLedger two) {
    return LedgerMerge.of(
            TestSession.get(),
            new MergeRequest(
                base.name(),
                List.of(one.name(), two.name()),
                Set.of(),
                MergeOptions.STANDARD.on(answer)))
        .run();
  }

  @Test
  void smallIncrementIntoALargeTableChangesItsRowsAlone() {
    ledger.append(
        LongStream.rangeClosed(1, 40)
            .mapToObj(id -> insert(id, id, "state", "a", "amount", "1.00"))
            .toArray(TestChange[]::new));
    merged();
    ledger.append(update(50, 7, "state", "b", "amount", "2.00"), delete(51, 8));
    MergeOutcome.Merged outcome = merged();
    assertThat(outcome.exchanges()).isZero();
    assertThat(base.rows())
        .hasSize(39)
        .containsEntry(7L, "b/2.00")
        .containsEntry(9L, "a/1.00")
        .doesNotContainKey(8L);
  }

  @Test
  void immediateRerunSaysNothingNew() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    int versions = lake.versions(base.name());
    assertThat(run()).isInstanceOf(MergeOutcome.NothingNew.class);
    assertThat(lake.versions(base.name())).isEqualTo(versions);
  }

  @Test
  void eachMergeIsOneMetadataVersion() {
    int versions = lake.versions(base.name());
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    assertThat(lake.versions(base.name())).isEqualTo(versions + 1);
    ledger.append(update(2, 1, "state", "b", "amount", "1.00"), delete(3, 5));
    merged();
    assertThat(lake.versions(base.name())).isEqualTo(versions + 2);
    ledger.append(update(1, 1, "state", "old", "amount", "1.00"));
    merged();
    assertThat(lake.versions(base.name())).isEqualTo(versions + 3);
  }

  @Test
  void compactionOfTheLedgerChangesNothing() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(insert(2, 2, "state", "b", "amount", "2.00"));
    compact();
    ledger.append(update(3, 1, "state", "c", "amount", "3.00"));
    MergeOutcome.Merged outcome = merged();
    assertThat(outcome.ledgerRows()).isEqualTo(2);
    assertThat(outcome.notes()).isEmpty();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "c/3.00", 2L, "b/2.00"));

    compact();
    assertThat(run()).isInstanceOf(MergeOutcome.Idle.class);
    assertThat(run()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void expiredSnapshotsMakeItMergeTheWholeLedgerAndSaySo() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.append(update(2, 1, "state", "b", "amount", "2.00"));
    ledger.append(delete(3, 2));
    expireAllButTheHead();
    MergeOutcome.Merged outcome = merged();
    assertThat(outcome.notes()).anyMatch(note -> note.contains("were expired"));
    assertThat(outcome.ledgerRows()).isEqualTo(3);
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/2.00"));
  }

  /** A tag keeps the snapshot itself, and not what lies between it and the head. */
  @Test
  void expiryBetweenATaggedSnapshotAndTheHeadIsNoRollback() {
    long first = ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merged();
    ledger.table().manageSnapshots().createTag("merged", first).commit();
    ledger.append(update(2, 1, "state", "b", "amount", "2.00"));
    ledger.append(delete(3, 2));
    expireAllButTheHead();
    assertThat(ledger.table().snapshot(first)).isNotNull();
    assertThat(merged().notes())
        .anyMatch(note -> note.contains("were expired"))
        .noneMatch(note -> note.contains("rolled back"));
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/2.00"));
  }

  @Test
  void rollbackOfTheLedgerIsNoExpiryAlsoWhereOlderSnapshotsAreGone() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    long second = ledger.append(insert(2, 2, "state", "b", "amount", "1.00"));
    long third = ledger.append(insert(3, 3, "state", "c", "amount", "1.00"));
    merged();
    ledger.table().manageSnapshots().createTag("merged", third).rollbackTo(second).commit();
    expireAllButTheHead();
    assertThat(merged().notes()).anyMatch(note -> note.contains("rolled back"));

    ledger = TestLedger.create(lake, "fresh", BUCKETS);
    long kept = ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    long merged = ledger.append(insert(5, 5, "state", "e", "amount", "1.00"));
    base = TestBase.create(lake, "fresh_orders", BUCKETS, mode());
    merged();
    ledger.table().manageSnapshots().rollbackTo(kept).commit();
    ledger.table().expireSnapshots().expireSnapshotId(merged).commit();
    assertThat(merged().notes())
        .anyMatch(note -> note.contains("does not hold the last merged snapshot, " + merged));
  }

  /** As is advised where an older version made the ledger. */
  @Test
  void ledgerThatJustGotAColumnIsMergedAsAWhole() {
    ledger.table().updateSchema().deleteColumn("cdc_key_changed").commit();
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"), update(2, 1, "state", "b"));
    assertThatThrownBy(this::run).hasMessageContaining("has no column cdc_key_changed");
    TestSession.get()
        .sql("ALTER TABLE " + ledger.name().sql() + " ADD COLUMN cdc_key_changed BOOLEAN");
    assertThat(merged().notes()).anyMatch(note -> note.contains("first merge"));
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/1.00"));
  }

  @Test
  void columnThatTheBaseTableLacksIsRefusedUnlessItIsNamed() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00", "extra", "x"));
    assertThatThrownBy(this::run).hasStackTraceContaining("column extra of an image");
    assertThat(base.rows()).isEmpty();

    LedgerMerge.of(
            TestSession.get(),
            new MergeRequest(base.name(), List.of(ledger.name()), Set.of("extra")))
        .run();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "a/1.00"));
  }

  private void compact() {
    SparkActions.get(TestSession.get())
        .rewriteDataFiles(ledger.table())
        .option("rewrite-all", "true")
        .execute();
  }

  private void expireAllButTheHead() {
    expireAllButTheHead(ledger);
  }

  private static void expireAllButTheHead(TestLedger of) {
    of.table()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1_000)
        .retainLast(1)
        .commit();
  }

  MergeOutcome.Merged merged() {
    return (MergeOutcome.Merged) run();
  }

  private MergeOutcome.Merged merged(MergeOptions options) {
    MergeRequest request = new MergeRequest(base.name(), List.of(ledger.name()), Set.of(), options);
    return (MergeOutcome.Merged) LedgerMerge.of(TestSession.get(), request).run().get(0);
  }

  MergeOutcome run() {
    return LedgerMerge.of(TestSession.get(), MergeRequest.of(base.name(), ledger.name()))
        .run()
        .get(0);
  }
}

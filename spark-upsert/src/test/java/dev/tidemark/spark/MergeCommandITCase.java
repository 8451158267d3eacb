package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.truncate;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.CommitHook;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestChange;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.junit.jupiter.api.Test;

/** What the options of {@code merge} do, and what is printed where a ledger fails. */
class MergeCommandITCase extends OrdersFixture {
  @Test
  void stagingTableIsOfferedWhereBucketsDifferAndLeavesOneExchange() {
    base = TestBase.create(lake, "other_buckets", 3, "merge-on-read");
    TableName staging = lake.table("orders_staging");
    ledger.append(changes(40, id -> insert(id, id, "state", "i", "amount", "1.00")));
    assertThat(merge().status()).isZero();

    ledger.append(changes(20, id -> update(100 + id, id, "state", "u", "amount", "2.00")));
    CommandLine without = merge();
    assertThat(without.status()).isZero();
    assertThat(without.output())
        .containsPattern("merged 20 changes with [2-9] exchanges as snapshot")
        .containsPattern(
            "[2-9] exchanges on the way of the rows, [0-9.]+ (B|KiB) written to shuffles: "
                + base.name())
        .contains("a staging table with the base table's partitions would leave one");
    assertThat(TestSession.get().catalog().tableExists(staging.sql())).isFalse();

    ledger.append(changes(10, id -> update(200 + id, id, "state", "v", "amount", "3.00")));
    CommandLine through = merge("--staging", staging);
    assertThat(through.status()).isZero();
    assertThat(through.output())
        .contains("merged 10 changes with 1 exchanges as snapshot")
        .containsPattern(
            "the increment went through " + staging + ", with one exchange of [0-9.]+ (B|KiB)")
        .doesNotContain("would leave one");
    assertThat(TestSession.get().table(staging.sql()).count()).isEqualTo(10);
    TreeMap<Long, String> expected = new TreeMap<>();
    LongStream.rangeClosed(1, 40)
        .forEach(id -> expected.put(id, id <= 10 ? "v/3.00" : id <= 20 ? "u/2.00" : "i/1.00"));
    assertThat(base.rows()).isEqualTo(expected);
  }

  @Test
  void columnThatTheBaseTableLacksIsNamedUntilItIsIgnored() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00", "extra", "x"));
    CommandLine refused = merge();
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output())
        .startsWith(ledger.name() + ": failed: ")
        .contains("column extra of an image has no column in the base table")
        .contains("Add it with ALTER TABLE, or name it as ignored");
    assertThat(merge("--ignored", "other").status()).isEqualTo(1);
    assertThat(base.rows()).isEmpty();

    CommandLine ignoring = merge("--ignored", "other,extra");
    assertThat(ignoring.status()).isZero();
    assertThat(ignoring.output()).contains("merged 1 changes");
    assertThat(base.rows()).isEqualTo(Map.of(1L, "a/1.00"));
  }

  @Test
  void truncateOfOneOfTwoLedgersIsRefusedIgnoredOrApplied() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(insert(1, 2, "state", "b", "amount", "1.00"));
    assertThat(merge(ledger, other).status()).isZero();
    ledger.append(truncate(3), insert(4, 4, "state", "d", "amount", "1.00"));

    CommandLine refused = merge(ledger, other);
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output())
        .contains(ledger.name() + ": failed: Cannot merge a TRUNCATE of ledger " + ledger.name())
        .contains("--truncate ignore leaves older rows, --truncate apply removes those of all");
    assertThat(base.rows().keySet()).containsExactly(1L, 2L);

    CommandLine ignored = merge(ledger, other, "--truncate", "ignore");
    assertThat(ignored.status()).isZero();
    assertThat(ignored.output()).contains("left out, as asked; older rows stay");
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 4L);

    ledger.append(truncate(5), insert(6, 6, "state", "e", "amount", "1.00"));
    CommandLine applied = merge(ledger, other, "--truncate", "apply");
    assertThat(applied.status()).isZero();
    assertThat(applied.output()).contains("older rows are removed");
    assertThat(base.rows().keySet()).containsExactly(6L);

    CommandLine unknown = merge(ledger, other, "--truncate", "of-the-only-ledger");
    assertThat(unknown.status()).isEqualTo(2);
    assertThat(unknown.output())
        .isEqualTo("Invalid argument: --truncate of-the-only-ledger (expected: ignore or apply)\n");
  }

  @Test
  void changedKeyOfWhichAHalfIsMissingIsRefusedOrMergedWithNulls() {
    ledger.append(insert(3, 9, "state", "b").half(2));
    CommandLine refused = merge();
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output())
        .contains("the DELETE of its old key, which leads to them, is not in the ledger")
        .contains("--missing-half null makes these columns null");
    assertThat(base.rows()).isEmpty();

    CommandLine merged = merge("--missing-half", "null");
    assertThat(merged.status()).isZero();
    assertThat(merged.output()).contains("1 values of changed keys are known to nobody");
    assertThat(base.rows()).isEqualTo(Map.of(9L, "b/null"));
    assertThat(merge("--missing-half", "drop").output())
        .isEqualTo("Invalid argument: --missing-half drop (expected: fail or null)\n");
  }

  @Test
  void hoursWithManySmallFilesAreCompactedFirst() {
    ledger = TestLedger.create(lake, "one_bucket", 1);
    for (int id = 1; id <= 3; id++) {
      ledger.append(insert(id, id, "state", "a", "amount", "1.00"));
    }
    ledger.append(insert(70, 70, "state", "a", "amount", "1.00"));
    assertThat(ledger.fileSizes()).hasSize(4);

    CommandLine tooFew = merge("--compact-min-files", "4");
    assertThat(tooFew.status()).isZero();
    assertThat(tooFew.output()).contains("merged 4 changes").doesNotContain("compacted");
    assertThat(ledger.fileSizes()).hasSize(4);

    ledger.append(insert(5, 5, "state", "b", "amount", "1.00"));
    CommandLine enough = merge("--compact-min-files", "4", "--target-mb", "1");
    assertThat(enough.status()).isZero();
    assertThat(enough.output())
        .contains("merged 1 changes")
        .contains("compacted 1 hours of the ledger first: 4 files became 1");
    assertThat(ledger.fileSizes()).hasSize(2);
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 3L, 5L, 70L);
  }

  @Test
  void ledgersAfterAFailingOneAreMergedAndItAloneHoldsTheWatermark() {
    TestLedger good = TestLedger.create(lake, "good", 2);
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    good.append(upTo("12:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    assertThat(merge(ledger, good).status()).isZero();

    ledger.append(upTo("14:00"), insert(2, 3, "state", "c", "amount", "1.00", "extra", "x"));
    good.append(upTo("14:00"), insert(2, 4, "state", "d", "amount", "1.00"));
    CommandLine failed = merge(ledger, good);
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output())
        .contains(good.name() + ": merged 1 changes")
        .contains("watermark [2026-01-01T10:00:00Z, 2026-01-01T12:00:00Z)")
        .containsPattern("\\n" + ledger.name() + ": failed: ")
        .contains("column extra of an image");
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 4L);
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("12:30"))
        .isInstanceOfSatisfying(
            FinalityAnswer.NotReady.class,
            answer ->
                assertThat(answer.hold())
                    .isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("db.ledger"))));

    CommandLine mended = merge(ledger, good, "--ignored", "extra");
    assertThat(mended.status()).isZero();
    assertThat(mended.output())
        .contains(ledger.name() + ": merged 1 changes")
        .contains("watermark [2026-01-01T10:00:00Z, 2026-01-01T14:00:00Z)")
        .contains(good.name() + ": nothing new");
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(answerAt("13:30")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void ledgerThatIsGoneStopsNoOtherAndHoldsTheWatermark() {
    TestLedger gone = TestLedger.create(lake, "gone", 2);
    gone.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    ledger.append(upTo("12:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    assertThat(merge(gone, ledger).status()).isZero();
    lake.catalog().dropTable(gone.name().identifier());
    ledger.append(upTo("14:00"), insert(2, 4, "state", "d", "amount", "1.00"));

    CommandLine failed = merge(gone, ledger);
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output())
        .contains(ledger.name() + ": merged 1 changes")
        .contains(gone.name() + ": failed: ");
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 4L);
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answerAt("12:30")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void bootstrapIsNotForgottenWhileItsLedgerCannotBeRead() {
    TestLedger filling = TestLedger.create(lake, "filling", 2);
    Opinion now = upTo("12:00");
    filling.append(
        new Opinion(
            now.watermark(), now.policy(), null, 0, true, now.writers(), ReopenedGranules.NONE),
        insert(1, 1, "state", "a", "amount", "1.00"));
    ledger.append(upTo("12:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    assertThat(merge(filling, ledger).status()).isZero();
    lake.catalog().dropTable(filling.name().identifier());
    ledger.append(upTo("14:00"), insert(2, 4, "state", "d", "amount", "1.00"));

    assertThat(merge(filling, ledger).status()).isEqualTo(1);
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 4L);
    Map<String, String> properties = lake.load(base.name()).properties();
    assertThat(properties)
        .containsEntry(FinalizationProperties.BOOTSTRAP, "pending")
        .doesNotContainKey(FinalizationProperties.WATERMARK_MS);
  }

  @Test
  void commitOfAnotherRightAfterTheMergesIsNotTakenForIt() {
    create(TestLake.jdbc(directory).hooked(), 2, "merge-on-read");
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    afterTheNextCommit(table -> table.newAppend().commit());
    CommandLine merged = merge();
    assertThat(merged.status()).isZero();
    Snapshot head = lake.load(base.name()).currentSnapshot();
    assertThat(head.summary()).doesNotContainKey("finalization.commit-id");
    assertThat(merged.output())
        .contains("merged 1 changes with 0 exchanges as snapshot %d;".formatted(head.parentId()))
        .contains("2026-01-01T12:00:00Z");

    ledger.append(upTo("13:00"));
    afterTheNextCommit(table -> table.newAppend().commit());
    CommandLine idle = merge();
    assertThat(idle.status()).isZero();
    assertThat(idle.output())
        .contains(
            "no new row, finality moved as snapshot %d;"
                .formatted(lake.load(base.name()).currentSnapshot().parentId()));
  }

  @Test
  void commitThatIsNotInTheHistoryOfMainIsNoSuccess() {
    create(TestLake.jdbc(directory).hooked(), 2, "merge-on-read");
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    assertThat(merge().status()).isZero();
    long first = lake.load(base.name()).currentSnapshot().snapshotId();
    for (TestChange[] changes :
        new TestChange[][] {{update(2, 1, "state", "b", "amount", "2.00")}, {}}) {
      ledger.append(upTo("13:00"), changes);
      afterTheNextCommit(table -> table.manageSnapshots().rollbackTo(first).commit());
      CommandLine lost = merge();
      assertThat(lost.status()).isEqualTo(1);
      assertThat(lost.output())
          .contains(ledger.name() + ": failed: Cannot find commit ")
          .contains("in the history of main of " + base.name() + ": the head is " + first)
          .contains("No change is lost");
      assertThat(base.rows()).isEqualTo(Map.of(1L, "a/1.00"));
    }
    assertThat(merge().status()).isZero();
    assertThat(base.rows()).isEqualTo(Map.of(1L, "b/2.00"));
  }

  @Test
  void memoryThatRunsOutEndsTheRunAndSaysAtWhichLedger() {
    boolean isInterrupted =
        runThatEnds(
            () -> {
              throw new OutOfMemoryError("Java heap space");
            },
            ": failed: OutOfMemoryError: Java heap space");
    assertThat(isInterrupted).isFalse();
  }

  @Test
  void interruptEndsTheRunAndStaysWithTheThread() {
    boolean isInterrupted =
        runThatEnds(
            () -> {
              Thread.currentThread().interrupt();
              TestSession.get().range(1).count();
            },
            ": failed: ");
    assertThat(isInterrupted).isTrue();
  }

  /**
   * Three ledgers, of which the second fails while its merge is committed; returns whether the
   * thread was interrupted then.
   */
  private boolean runThatEnds(Runnable failure, String said) {
    create(TestLake.jdbc(directory).hooked(), 2, "merge-on-read");
    TestLedger second = TestLedger.create(lake, "second", 2);
    TestLedger third = TestLedger.create(lake, "third", 2);
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    second.append(insert(1, 2, "state", "b", "amount", "1.00"));
    third.append(insert(1, 3, "state", "c", "amount", "1.00"));
    AtomicInteger commits = new AtomicInteger();
    lake.hook(
        base.name(),
        new CommitHook() {
          @Override
          public void before(TableMetadata next) {
            if (commits.incrementAndGet() == 2) {
              failure.run();
            }
          }
        });
    String ledgers = ledger.name() + "," + second.name() + "," + third.name();
    CommandLine ended = run(ledgers);
    boolean isInterrupted = Thread.interrupted();
    assertThat(ended.status()).isEqualTo(1);
    assertThat(ended.output())
        .contains(ledger.name() + ": merged 1 changes")
        .contains(second.name() + said)
        .contains(third.name() + ": not tried, that ended the run\n");
    assertThat(base.rows().keySet()).containsExactly(1L);
    assertThat(run(ledgers).status()).isZero();
    assertThat(base.rows().keySet()).containsExactly(1L, 2L, 3L);
    return isInterrupted;
  }

  /** What somebody else does to the base table right after the next commit to it. */
  private void afterTheNextCommit(Consumer<Table> action) {
    AtomicBoolean isDue = new AtomicBoolean(true);
    lake.hook(
        base.name(),
        new CommitHook() {
          @Override
          public void after(TableMetadata committed) {
            if (isDue.getAndSet(false)) {
              action.accept(lake.load(base.name()));
            }
          }
        });
  }

  @Test
  void refusalOfTheWholeRunIsSaidOnceAndIsNoMisunderstanding() {
    TestLedger other = TestLedger.create(lake, "other", 2);
    ledger.append(upTo("12:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    other.append(upTo("12:00"), insert(1, 2, "state", "b", "amount", "1.00"));
    assertThat(merge(ledger, other).status()).isZero();
    CommandLine refused = merge();
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output())
        .startsWith("Failed: Cannot merge [db.ledger] into " + base.name())
        .containsOnlyOnce("without its other ledgers [db.other]");

    TableName none = lake.table("none");
    CommandLine missing = CommandLine.run("merge", "--base", none, "--ledgers", ledger.name());
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.output()).startsWith("Failed: Cannot find table " + none);
  }

  private static TestChange[] changes(int rows, LongFunction<TestChange> one) {
    return LongStream.rangeClosed(1, rows).mapToObj(one).toArray(TestChange[]::new);
  }

  private CommandLine merge(Object... options) {
    return run(ledger.name().toString(), options);
  }

  private CommandLine merge(TestLedger one, TestLedger other, Object... options) {
    return run(one.name() + "," + other.name(), options);
  }

  private CommandLine run(String ledgers, Object... options) {
    List<Object> words = new ArrayList<>();
    words.addAll(List.of("merge", "--base", base.name(), "--ledgers", ledgers));
    words.addAll(List.of(options));
    return CommandLine.run(words.toArray());
  }
}

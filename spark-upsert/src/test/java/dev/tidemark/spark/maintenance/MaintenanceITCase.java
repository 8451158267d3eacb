package dev.tidemark.spark.maintenance;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.truncate;
import static dev.tidemark.spark.testing.TestChange.update;
import static dev.tidemark.spark.testing.TestOpinions.millis;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOptions;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.spark.sql.SparkSession;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
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
    assertThat(expired(base.name())).isZero();
    merge();
    ledger.append(upTo("12:00"), update(3, 1, "state", "c", "amount", "1.00"));
    ledger.append(upTo("12:00"), delete(4, 2));

    assertThat(expired(base.name())).isEqualTo(1);
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
    assertThat(expired(bases.toArray(TableName[]::new))).as("one has merged nothing yet").isZero();
    merge(behind);
    ledger.append(upTo("12:00"), update(3, 1, "state", "c", "amount", "1.00"));
    ledger.append(upTo("12:00"), delete(4, 2));
    merge();

    assertThat(expired(bases.toArray(TableName[]::new))).isEqualTo(1);
    assertThat(ledger.table().snapshot(first)).isNotNull();
    MergeOutcome.Merged outcome = (MergeOutcome.Merged) merge(behind);
    assertThat(outcome.ledgerRows()).isEqualTo(2);
    assertThat(outcome.notes()).isEmpty();
    assertThat(behind.rows()).isEqualTo(base.rows()).isEqualTo(Map.of(1L, "c/1.00"));
    assertThat(expired(bases.toArray(TableName[]::new))).isEqualTo(2);
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

    String statement = refused(() -> expired(base.name()));
    assertThat(ledger.table().snapshots()).hasSize(4);
    SPARK.sql(statement);
    assertThat(expired(base.name())).as("by the age that main has now").isZero();
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
    assertThat(expired(base.name())).isEqualTo(1);
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
  void stateOutlivesWhatAnAdministratorSaysAndTheExpiryByOthers() {
    Map<String, Consumer<FinalizationAdmin>> commands =
        Map.of(
            "reset", FinalizationAdmin::reset,
            "retire", admin -> admin.retire("db.ledger_retire"),
            "complete", admin -> admin.completeBootstrap(at("08:00")));
    commands.forEach(
        (command, say) -> {
          base = TestBase.create(lake, "orders_" + command, 1, "merge-on-read");
          ledger = TestLedger.create(lake, "ledger_" + command, 1);
          ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"), truncate(2));
          ledger.append(upTo("11:00"), insert(3, 3, "state", "c", "amount", "1.00"));
          merge();
          String state = MergeState.of(lake.load(base.name())).toText();
          say.accept(FinalizationAdmin.of(lake.load(base.name())));
          expireAllButTheHead(base.name());

          assertThat(lake.load(base.name()).snapshots()).as(command).hasSize(1);
          assertThat(MergeState.of(lake.load(base.name())).toText()).isEqualTo(state);
          ledger.append(upTo("11:00"), insert(1, 2, "state", "old", "amount", "1.00"));
          assertThat(((MergeOutcome.Merged) merge()).ledgerRows()).as(command).isEqualTo(1);
          assertThat(base.rows()).as(command).isEqualTo(Map.of(3L, "c/1.00"));
        });
  }

  /** The administrator's tool need not know of the catalog that carries finality. */
  @Test
  void stateOutlivesAnAdministratorThroughThePlainCatalog() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    FinalizationAdmin.of(plain()).reset();
    expireAllButTheHead(base.name());
    assertThat(merge()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void stateOfABaseTableWithoutAnOpinionOutlivesItsSnapshots() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    lake.load(base.name()).newAppend().commit();
    expireAllButTheHead(base.name());
    assertThat(merge()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  @Test
  void stateOfASnapshotThatATagKeepsBeyondAnExpiryStaysInTheProperties() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    Table table = lake.load(base.name());
    String state = table.properties().get(MergeState.KEY);
    table.manageSnapshots().createTag("eod", table.currentSnapshot().snapshotId()).commit();
    lake.load(base.name()).newAppend().commit();
    lake.load(base.name()).newAppend().commit();
    expireAllButTheHead(base.name());
    assertThat(lake.load(base.name()).snapshots()).hasSize(2);
    lake.load(base.name()).newAppend().commit();
    assertThat(lake.load(base.name()).properties()).containsEntry(MergeState.KEY, state);
    lake.load(base.name()).manageSnapshots().removeTag("eod").commit();
    expireAllButTheHead(base.name());
    assertThat(MergeState.of(lake.load(base.name())).toText()).isEqualTo(state);
  }

  @Test
  void stateThatWasRolledBackNeverCounts() {
    for (boolean hasOpinion : new boolean[] {true, false}) {
      base = TestBase.create(lake, "orders_" + hasOpinion, 1, "merge-on-read");
      ledger = TestLedger.create(lake, "ledger_" + hasOpinion, 1);
      lake.load(base.name()).newAppend().commit();
      lake.load(base.name()).newAppend().commit();
      long first = lake.load(base.name()).currentSnapshot().snapshotId();
      ledger.append(
          hasOpinion ? upTo("11:00") : null, insert(1, 1, "state", "a", "amount", "1.00"));
      merge();
      lake.load(base.name()).manageSnapshots().rollbackTo(first).commit();
      assertThat(MergeState.of(lake.load(base.name()))).isEqualTo(MergeState.NONE);
      lake.load(base.name()).newAppend().commit();
      expireAllButTheHead(base.name());
      assertThat(MergeState.of(lake.load(base.name()))).isEqualTo(MergeState.NONE);
      assertThat(merge()).isInstanceOf(MergeOutcome.Merged.class);
      assertThat(base.rows()).isEqualTo(Map.of(1L, "a/1.00"));
    }
  }

  @Test
  void stateOfARolledBackMergeIsGoneAfterAReset() {
    ledger.append(upTo("10:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    long first = lake.load(base.name()).currentSnapshot().snapshotId();
    String state = MergeState.of(lake.load(base.name())).toText();
    ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    lake.load(base.name()).manageSnapshots().rollbackTo(first).commit();
    FinalizationAdmin.of(plain()).reset();
    assertThat(lake.load(base.name()).properties()).doesNotContainKey(MergeState.KEY);
    expireAllButTheHead(base.name());
    assertThat(MergeState.of(lake.load(base.name())).toText()).isEqualTo(state);
    merge();
    assertThat(base.rows()).hasSize(2);
  }

  /** As an older version left it, whose administrator carried no state on. */
  @Test
  void stateThatOnlyThePropertiesOfAnOlderVersionHaveCounts() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    Table table = plain();
    AppendFiles retired = table.newAppend();
    FinalizationProperties.write(Objects.requireNonNull(truth(table))).forEach(retired::set);
    retired.commit();
    table
        .updateProperties()
        .remove("tidemark.state.snapshot-id")
        .remove("tidemark.state.snapshot-time-ms")
        .commit();
    expireAllButTheHead(base.name());
    assertThat(merge()).isInstanceOf(MergeOutcome.NothingNew.class);
  }

  private static @Nullable Opinion truth(Table table) {
    return TableTruth.read(table, "main").opinion();
  }

  /** The base table through the catalog inside. */
  private Table plain() {
    return new HadoopTables(new Configuration()).load(lake.load(base.name()).location());
  }

  private static void expireAllButTheHead(TableName table) {
    SPARK.sql(
        "CALL `%s`.system.expire_snapshots(table => '%s', older_than => TIMESTAMP '%s', retain_last => 1)"
            .formatted(
                table.catalog(), table.inCatalog(), Timestamp.from(Instant.now().plusSeconds(1))));
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

  /** How many snapshots of the ledger may go at once. */
  private int expired(TableName... bases) {
    return AT_ONCE.ledger(SPARK, ledger.name(), List.of(bases)).expired();
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

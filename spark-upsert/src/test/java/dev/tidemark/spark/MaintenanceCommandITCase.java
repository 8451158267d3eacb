package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestChange;
import dev.tidemark.spark.testing.TestLake;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.junit.jupiter.api.Test;

/** The commands that keep ledgers and base tables small. */
class MaintenanceCommandITCase extends OrdersFixture {
  private static final long SEED = 20_261_130;
  private static final int MB = 1 << 20;
  private static final Clock SOON = Clock.offset(Clock.systemUTC(), Duration.ofHours(1));

  @Override
  protected void create() {
    create(TestLake.hadoop(directory), 1, "merge-on-read");
  }

  @Test
  void filesOfAFinalHourGetTheSizeThatIsAskedFor() {
    Random random = new Random(SEED);
    for (int file = 0; file < 9; file++) {
      ledger.append(upTo("11:00"), noise(random, file * 400L));
    }
    List<Long> before = ledger.fileSizes();
    assertThat(before).hasSize(9).allMatch(size -> size > MB / 4 && size < MB * 3 / 4);
    long bytes = before.stream().mapToLong(size -> size).sum();

    CommandLine tooMany = CommandLine.run("compact", "--ledger", ledger.name(), "--min-files", 10);
    assertThat(tooMany.status()).isZero();
    assertThat(tooMany.output()).isEqualTo("0 final hours: 0 files became 0\n");
    assertThat(ledger.fileSizes()).isEqualTo(before);

    CommandLine one = CommandLine.run("compact", "--ledger", ledger.name(), "--target-mb", 1);
    assertThat(one.status()).isZero();
    assertThat(one.output()).isEqualTo("1 final hours: 9 files became 3\n");
    assertThat(ledger.fileSizes())
        .hasSize(3)
        .allMatch(size -> size > MB * 3 / 4 && size < MB * 5 / 4);

    CommandLine large = CommandLine.run("compact", "--ledger", ledger.name(), "--min-files", 2);
    assertThat(large.output()).isEqualTo("1 final hours: 3 files became 1\n");
    assertThat(ledger.fileSizes()).hasSize(1).allMatch(size -> size > 2 * MB);
  }

  @Test
  void expiryKeepsWhatCarriesTheFinalityBeneathCommitsOfOthers() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    long carrier = ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    ledger.append();
    ledger.append();
    merge();

    CommandLine expired = expire();
    assertThat(expired.status()).isZero();
    assertThat(expired.output()).isEqualTo("1 snapshots of " + ledger.name() + " expired\n");
    assertThat(ledger.table().snapshot(carrier)).isNotNull();
    assertThat(answerAt(ledger.table(), "11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    ledger.append(insert(3, 3, "state", "c", "amount", "1.00"));
    merge();
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(base.rows()).hasSize(3);
  }

  @Test
  void expiryKeepsTheCarrierAlsoWhereTheClockOfAnotherIsBehind() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    long carrier = ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    appendByAClockThatIsBehind(ledger.table());
    ledger.append();
    merge();
    assertThat(expire().status()).isZero();
    assertThat(ledger.table().snapshot(carrier)).isNotNull();

    long state = lake.load(base.name()).currentSnapshot().snapshotId();
    appendByAClockThatIsBehind(lake.load(base.name()));
    lake.load(base.name()).newAppend().commit();
    assertThat(expireBase().status()).isZero();
    assertThat(lake.load(base.name()).snapshot(state)).isNotNull();
  }

  @Test
  void expiryOfABaseTableKeepsWhatCarriesFinalityAndStateBeneathCommitsOfOthers() {
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    merge();
    ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    merge();
    long carrier = lake.load(base.name()).currentSnapshot().snapshotId();
    lake.load(base.name()).newAppend().commit();
    lake.load(base.name()).newAppend().commit();

    CommandLine expired = expireBase();
    assertThat(expired.status()).isZero();
    assertThat(expired.output()).isEqualTo("1 snapshots of " + base.name() + " expired\n");
    assertThat(lake.load(base.name()).snapshot(carrier)).isNotNull();
    assertThat(answerAt("11:30")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(merge().output()).contains("nothing new");
  }

  @Test
  void expiryThatABaseTableHoldsSaysWhichAndWhy() {
    TableName name = ledger.name();
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    long merged = ledger.append(upTo("12:00"), insert(2, 2, "state", "b", "amount", "1.00"));
    CommandLine unmerged = expire();
    assertThat(unmerged.status()).isZero();
    assertThat(unmerged.output())
        .startsWith("0 snapshots of " + name + " expired\n  none may go while " + base.name())
        .contains("it has not merged " + name + " yet")
        .contains("Merge it, or leave it out of --bases");

    merge();
    ledger.append(upTo("13:00"), insert(3, 3, "state", "c", "amount", "1.00"));
    ledger.append(upTo("13:00"), insert(4, 4, "state", "d", "amount", "1.00"));
    ledger.table().expireSnapshots().expireSnapshotId(merged).commit();
    assertThat(expire().output())
        .contains("the snapshot of %s that it merged last, %d, is gone".formatted(name, merged));
    merge();
    assertThat(expire().output()).isEqualTo("2 snapshots of " + name + " expired\n");
  }

  private CommandLine merge() {
    CommandLine merged =
        CommandLine.run("merge", "--base", base.name(), "--ledgers", ledger.name());
    assertThat(merged.status()).as(merged.output()).isZero();
    return merged;
  }

  private CommandLine expire() {
    TableName name = ledger.name();
    return CommandLine.run(
        SOON, "expire", "--ledger", name, "--bases", base.name(), "--keep", "PT0S");
  }

  private CommandLine expireBase() {
    return CommandLine.run(SOON, "expire-base", "--base", base.name(), "--keep", "PT0S");
  }

  /** A commit without an opinion, half a minute before the head by the clock of who made it. */
  private static void appendByAClockThatIsBehind(Table table) {
    Snapshot now = table.newAppend().apply();
    String time = Long.toString(now.timestampMillis());
    String earlier = Long.toString(now.timestampMillis() - 30_000);
    Snapshot snapshot = SnapshotParser.fromJson(SnapshotParser.toJson(now).replace(time, earlier));
    TableOperations operations = ((HasTableOperations) table).operations();
    TableMetadata current = operations.current();
    operations.commit(
        current,
        TableMetadata.buildFrom(current)
            .setBranchSnapshot(snapshot, SnapshotRef.MAIN_BRANCH)
            .build());
  }

  /** Rows that no compression makes smaller by much. */
  private static TestChange[] noise(Random random, long firstId) {
    List<TestChange> changes = new ArrayList<>();
    byte[] bytes = new byte[750];
    for (int row = 0; row < 400; row++) {
      random.nextBytes(bytes);
      String state = Base64.getEncoder().encodeToString(bytes);
      changes.add(insert(1, firstId + row, "state", state, "amount", "1.00"));
    }
    return changes.toArray(TestChange[]::new);
  }
}

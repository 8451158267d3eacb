package dev.tidemark.spark.merge;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.spark.testing.ShuffleCount;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestChange;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a merge needs no shuffle, and what it does when it needs one. */
class NoShuffleITCase {
  private static final String SUBSET =
      "spark.sql.sources.v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled";

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestLake lake;

  @BeforeEach
  void create() {
    lake = TestLake.hadoop(directory);
  }

  @Test
  void manyHoursOfTheLedgerMergeWithoutAnExchange() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 4);
    TestBase base = TestBase.create(lake, "orders", 4, "merge-on-read");
    ledger.append(inserts(200));
    merge(ledger, base);
    ledger.append(updates(150));
    MergeOutcome.Merged outcome = merge(ledger, base);
    assertThat(outcome.exchanges()).isZero();
    assertThat(outcome.shuffledBytes()).isZero();
    TreeMap<Long, String> rows = base.rows();
    assertThat(rows).hasSize(200);
    assertThat(rows.get(150L)).isEqualTo("u/2.00");
    assertThat(rows.get(151L)).isEqualTo("i/1.00");
  }

  @Test
  void differentBucketsMergeAllTheSameAndSayWhatItCosts() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 4);
    TestBase base = TestBase.create(lake, "orders", 3, "copy-on-write");
    ledger.append(inserts(50));
    merge(ledger, base);
    ledger.append(updates(20));
    ShuffleCount count = ShuffleCount.begin();
    MergeOutcome.Merged outcome = merge(ledger, base);
    assertThat(outcome.exchanges()).isPositive();
    assertThat(outcome.shuffledBytes()).isPositive().isEqualTo(count.end());
    assertThat(outcome.notes()).anyMatch(note -> note.contains("exchanges on the way of the rows"));
    assertThat(base.rows()).hasSize(50).containsEntry(20L, "u/2.00").containsEntry(21L, "i/1.00");
  }

  @Test
  void stagingTableLeavesTheJoinWithoutAnExchange() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 4);
    TestBase base = TestBase.create(lake, "orders", 3, "merge-on-read");
    MergeRequest request = through("orders_staging", ledger, base);
    ledger.append(inserts(50));
    merge(request);
    for (int rows : List.of(20, 30)) {
      ledger.append(updates(rows));
      ShuffleCount count = ShuffleCount.begin();
      MergeOutcome.Merged outcome = merge(request);
      assertThat(outcome.exchanges()).as("%s", outcome.notes()).isEqualTo(1);
      assertThat(outcome.shuffledBytes()).isPositive().isEqualTo(count.end());
      assertThat(outcome.notes()).anyMatch(note -> note.contains("orders_staging"));
    }
    assertThat(base.rows()).hasSize(50).containsEntry(30L, "u/2.00").containsEntry(31L, "i/1.00");
  }

  @Test
  void stagingTableHoldsOneIncrementWhateverTheOverwriteModeOfTheSession() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 4);
    TestBase base = TestBase.create(lake, "orders", 3, "merge-on-read");
    MergeRequest request = through("orders_staging", ledger, base);
    ledger.append(inserts(50));
    merge(request);
    ledger.append(updates(20));
    inSessionWith(
        "spark.sql.sources.partitionOverwriteMode",
        "dynamic",
        () -> {
          merge(request);
          ledger.append(update(5_000, 1, "state", "v", "amount", "3.00"));
          return merge(request);
        });
    assertThat(TestSession.get().table(lake.table("orders_staging").sql()).count()).isEqualTo(1);
    assertThat(base.rows()).hasSize(50).containsEntry(1L, "v/3.00").containsEntry(2L, "u/2.00");
  }

  @Test
  void exchangesAreCountedThoughTheSessionCutsPlansShort() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 4);
    TestBase base = TestBase.create(lake, "orders", 3, "merge-on-read");
    ledger.append(inserts(50));
    merge(ledger, base);
    ledger.append(updates(20));
    MergeOutcome.Merged outcome =
        inSessionWith("spark.sql.maxPlanStringLength", "100", () -> merge(ledger, base));
    assertThat(outcome.exchanges()).isPositive();
    assertThat(outcome.notes()).anyMatch(note -> note.contains("exchanges on the way of the rows"));
  }

  private static <T> T inSessionWith(String setting, String value, Supplier<T> action) {
    TestSession.get().conf().set(setting, value);
    try {
      return action.get();
    } finally {
      TestSession.get().conf().unset(setting);
    }
  }

  @Test
  void stagingTableOfOtherColumnsIsRefused() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 4);
    TestBase base = TestBase.create(lake, "orders", 3, "merge-on-read");
    TestSession.get().sql("CREATE TABLE " + lake.table("old").sql() + " (id BIGINT) USING iceberg");
    ledger.append(inserts(1));
    LedgerMerge merge = LedgerMerge.of(TestSession.get(), through("old", ledger, base));
    base.addByHand(List.of(7L), "x", "1.00");
    assertThatThrownBy(merge::run)
        .hasMessageContaining("Cannot stage in " + lake.table("old") + ": it has columns [id]")
        .hasMessageContaining("Drop it");
  }

  @Test
  void settingThatGivesWrongResultsIsRefused() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 2);
    TestBase base = TestBase.create(lake, "orders", 2, "copy-on-write");
    ledger.append(inserts(1));
    TestSession.get().conf().set(SUBSET, "true");
    try {
      assertThatThrownBy(() -> merge(ledger, base))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(SUBSET + "=true (expected: false)");
    } finally {
      TestSession.get().conf().unset(SUBSET);
    }
    assertThat(base.rows()).isEmpty();
  }

  @Test
  void sessionThatCommitsToABranchOfItsOwnIsRefused() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 2);
    TestBase base = TestBase.create(lake, "orders", 2, "copy-on-write");
    ledger.append(inserts(1));
    for (String setting : List.of("spark.wap.branch", "spark.wap.id")) {
      TestSession.get().conf().set(setting, "audit");
      try {
        assertThatThrownBy(() -> merge(ledger, base))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining(setting + "=audit (expected: not set)");
      } finally {
        TestSession.get().conf().unset(setting);
      }
    }
    assertThat(base.rows()).isEmpty();
  }

  @Test
  void settingsOfTheSessionAreAsBefore() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 2);
    TestBase base = TestBase.create(lake, "orders", 2, "copy-on-write");
    ledger.append(inserts(1));
    SparkSession session = TestSession.get().newSession();
    lake.configure(session);
    session.conf().set("spark.sql.ansi.enabled", "false");
    Map<String, String> before = settings(session);
    session.range(1).createOrReplaceTempView("tidemark_increment");
    LedgerMerge.of(session, MergeRequest.of(base.name(), ledger.name())).run();
    TestBase other = TestBase.create(lake, "other", 3, "merge-on-read");
    other.addByHand(List.of(1L), "x", "1.00");
    TestLedger moves = TestLedger.create(lake, "moves", 2);
    moves.append(delete(2, 1).half(1), insert(2, 9, "state", "m").half(2));
    MergeRequest staged = through("moves_staging", moves, other);
    LedgerMerge.of(session, staged).run();
    TestSession.get().sql("REFRESH TABLE " + other.name().sql());
    assertThat(other.rows()).isEqualTo(Map.of(9L, "m/1.00"));
    assertThat(settings(session)).isEqualTo(before);
    assertThat(session.table("tidemark_increment").columns()).containsExactly("id");
    assertThat(session.sql("SHOW VIEWS").collectAsList()).hasSize(1);
  }

  /** Without the two catalogs that Iceberg makes known itself when its format is read. */
  private static Map<String, String> settings(SparkSession session) {
    Map<String, String> settings =
        new TreeMap<>(scala.jdk.javaapi.CollectionConverters.asJava(session.conf().getAll()));
    settings.keySet().removeIf(key -> key.startsWith("spark.sql.catalog.default_"));
    return settings;
  }

  @Test
  void namesOfFilesAndOldRowsOfChangedKeysAreCountedThoughTheyAreNoExchange() {
    TestLedger ledger = TestLedger.create(lake, "ledger", 2);
    TestBase base = TestBase.create(lake, "orders", 2, "copy-on-write");
    ledger.append(inserts(50));
    merge(ledger, base);
    ledger.append(delete(2_000, 1).half(1), insert(2_000, 99, "state", "m").half(2));
    ShuffleCount count = ShuffleCount.begin();
    MergeOutcome.Merged outcome = merge(ledger, base);
    assertThat(outcome.exchanges()).as("the broadcast alone").isEqualTo(1);
    assertThat(outcome.shuffledBytes()).isPositive().isEqualTo(count.end());
    assertThat(base.rows()).hasSize(50).doesNotContainKey(1L).containsEntry(99L, "m/1.00");
  }

  private static TestChange[] inserts(int rows) {
    return LongStream.rangeClosed(1, rows)
        .mapToObj(id -> insert(id, id, "state", "i", "amount", "1.00"))
        .toArray(TestChange[]::new);
  }

  private static TestChange[] updates(int rows) {
    return LongStream.rangeClosed(1, rows)
        .mapToObj(id -> update(1_000 + id, id, "state", "u", "amount", "2.00"))
        .toArray(TestChange[]::new);
  }

  private MergeRequest through(String staging, TestLedger ledger, TestBase base) {
    return new MergeRequest(
        base.name(),
        List.of(ledger.name()),
        Set.of(),
        MergeOptions.STANDARD.through(lake.table(staging)));
  }

  private static MergeOutcome.Merged merge(TestLedger ledger, TestBase base) {
    return merge(MergeRequest.of(base.name(), ledger.name()));
  }

  private static MergeOutcome.Merged merge(MergeRequest request) {
    return (MergeOutcome.Merged) LedgerMerge.of(TestSession.get(), request).run().get(0);
  }
}

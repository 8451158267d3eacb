package dev.tidemark.spark.merge;

import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.millis;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.testing.CommitHook;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestChange;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Several sessions merge one ledger into one base table at one time. Every metadata version that
 * they left must be one that a single merge could have made.
 */
abstract class ConcurrentMergesContract extends OrdersFixture {
  private static final int SESSIONS = 3;

  /** Of a session for the others: whole merges, with their repetitions. */
  private static final long PATIENCE_MINUTES = 5;

  private static final List<String> HOURS = List.of("11:00", "12:00", "13:00");

  private final ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);

  private int versions;

  abstract TestLake lake(Path directory);

  @Override
  protected void create() {
    create(lake(directory).hooked(), 2, "merge-on-read");
    versions = lake.versions(base.name());
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void everyRoundOfMergesIsAsIfTheyHadRunOneAfterTheOther() throws Exception {
    CyclicBarrier start = new CyclicBarrier(SESSIONS);
    List<Future<List<MergeOutcome>>> running = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      SparkSession session = session();
      boolean isFirst = i == 0;
      running.add(threads.submit(() -> rounds(session, start, isFirst)));
    }
    List<MergeOutcome> outcomes = new ArrayList<>();
    for (Future<List<MergeOutcome>> rounds : running) {
      outcomes.addAll(rounds.get());
    }
    outcomes.add(merge(TestSession.get()));

    assertThat(base.rows().keySet()).containsExactlyElementsOf(ids(2 * HOURS.size()));
    assertVersionsAreThoseOf(outcomes);
    assertThat(lastWatermark()).isEqualTo(millis("13:00"));
  }

  /** In each round all begin at once, and the ledger grows again while some have begun. */
  private List<MergeOutcome> rounds(SparkSession session, CyclicBarrier start, boolean isFirst)
      throws Exception {
    List<MergeOutcome> outcomes = new ArrayList<>();
    for (int round = 0; round < HOURS.size(); round++) {
      if (isFirst) {
        ledger.append(row(2 * round + 1));
      }
      start.await(PATIENCE_MINUTES, TimeUnit.MINUTES);
      if (isFirst) {
        ledger.append(upTo(HOURS.get(round)), row(2 * round + 2));
      }
      outcomes.add(merge(session));
      start.await(PATIENCE_MINUTES, TimeUnit.MINUTES);
    }
    return outcomes;
  }

  @Test
  void firstMergeThatIsOvertakenRightBeforeItsCommitBringsNoRowTwice() throws Exception {
    ledger.append(upTo("11:00"), row(1));
    assertThat(overtaken(() -> ledger.append(upTo("12:00"), row(2))))
        .isInstanceOf(MergeOutcome.NothingNew.class);
    assertThat(base.rows().keySet()).containsExactlyElementsOf(ids(2));
  }

  @Test
  void mergeThatIsOvertakenRightBeforeItsCommitBringsNoRowTwice() throws Exception {
    ledger.append(upTo("11:00"), row(1));
    merge(TestSession.get());
    versions = lake.versions(base.name());
    ledger.append(upTo("12:00"), row(2));
    assertThat(overtaken(() -> ledger.append(upTo("13:00"), row(3))))
        .isInstanceOf(MergeOutcome.NothingNew.class);
    assertThat(base.rows().keySet()).containsExactlyElementsOf(ids(3));
  }

  @Test
  void watermarkThatIsOvertakenRightBeforeItsCommitDoesNotComeBack() throws Exception {
    ledger.append(upTo("11:00"), row(1));
    merge(TestSession.get());
    versions = lake.versions(base.name());
    ledger.append(upTo("12:00"));
    assertThat(overtaken(() -> ledger.append(upTo("13:00"))))
        .isInstanceOf(MergeOutcome.NothingNew.class);
    assertThat(lastWatermark()).isEqualTo(millis("13:00"));
  }

  /** The outcome of a merge that has decided, while another with later news decides and commits. */
  private MergeOutcome overtaken(Callable<Long> laterNews) throws Exception {
    CountDownLatch decided = new CountDownLatch(1);
    CountDownLatch overtaken = new CountDownLatch(1);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    lake.hook(
        base.name(),
        new CommitHook() {
          @Override
          public void before(TableMetadata next) {
            if (isFirst.getAndSet(false)) {
              decided.countDown();
              await(overtaken);
            }
          }
        });
    SparkSession session = session();
    Future<MergeOutcome> slow = threads.submit(() -> merge(session));
    await(decided);
    laterNews.call();
    MergeOutcome fast = merge(TestSession.get());
    overtaken.countDown();
    MergeOutcome outcome = slow.get();
    assertVersionsAreThoseOf(List.of(fast, outcome));
    return outcome;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE_MINUTES, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Each outcome with a snapshot made one version, each version says in its properties what its
   * head says, each head stands on the one before, and none takes the watermark back.
   */
  private void assertVersionsAreThoseOf(List<MergeOutcome> outcomes) {
    List<TableMetadata> all = lake.history(base.name());
    List<Long> made = new ArrayList<>();
    Long watermark = null;
    Long head = null;
    for (int i = 0; i < all.size(); i++) {
      Snapshot snapshot = all.get(i).currentSnapshot();
      if (snapshot == null) {
        continue;
      }
      Map<String, String> summary = snapshot.summary();
      Map<String, String> properties = all.get(i).properties();
      Long own = FinalizationProperties.number(summary, FinalizationProperties.WATERMARK_MS);
      assertThat(own == null ? Long.valueOf(0) : own)
          .as("watermark of version %s", i)
          .isGreaterThanOrEqualTo(watermark == null ? 0 : watermark);
      assertThat(snapshot.parentId()).as("parent of version %s", i).isEqualTo(head);
      for (String key : List.of(FinalizationProperties.WATERMARK_MS, MergeState.KEY)) {
        assertThat(properties.get(key)).as("%s of version %s", key, i).isEqualTo(summary.get(key));
      }
      watermark = own;
      head = snapshot.snapshotId();
      if (i >= versions) {
        made.add(head);
      }
    }
    assertThat(made)
        .containsExactlyInAnyOrderElementsOf(
            outcomes.stream()
                .map(ConcurrentMergesContract::snapshotId)
                .filter(Objects::nonNull)
                .toList());
    assertThat(all).hasSize(versions + made.size());
  }

  private static @Nullable Long snapshotId(MergeOutcome outcome) {
    if (outcome instanceof MergeOutcome.Merged merged) {
      return merged.snapshotId();
    }
    return outcome instanceof MergeOutcome.Idle idle ? Long.valueOf(idle.snapshotId()) : null;
  }

  private long lastWatermark() {
    return Long.parseLong(
        lake.load(base.name()).properties().get(FinalizationProperties.WATERMARK_MS));
  }

  private SparkSession session() {
    SparkSession session = TestSession.get().newSession();
    lake.configure(session);
    return session;
  }

  private MergeOutcome merge(SparkSession session) {
    return LedgerMerge.of(session, MergeRequest.of(base.name(), ledger.name())).run().get(0);
  }

  private static TestChange row(long id) {
    return insert(id, id, "state", "a", "amount", "1.00");
  }

  private static List<Long> ids(int last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }
}

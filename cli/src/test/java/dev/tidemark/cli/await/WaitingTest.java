package dev.tidemark.cli.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.cli.store.StoreUnreachableException;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.testing.TestingClock;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.iceberg.TestCatalog;
import dev.tidemark.iceberg.TestFiles;
import dev.tidemark.iceberg.catalog.DelegatingOperations;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WaitingTest {
  private static final long HOUR = 3_600_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  private final TestingClock clock = new TestingClock(Instant.parse("2026-01-01T12:00:00Z"));
  private final List<Duration> pauses = new ArrayList<>();
  private Runnable meanwhile = () -> {};
  private Duration grace = Duration.ofMinutes(1);

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  Table table;

  @BeforeEach
  void create() {
    table = TestCatalog.hadoop(directory).create("events");
  }

  @Test
  void readyAtOnceNeverSleeps() throws Exception {
    EventWriter.start(table, "w").write("12:05");
    assertThat(settled(11)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(pauses).isEmpty();
  }

  @Test
  void hourThatBecomesFinalMeanwhileEndsTheWaiting() throws Exception {
    EventWriter writer = EventWriter.start(table, "w");
    writer.write("10:05");
    meanwhile =
        () -> {
          if (pauses.size() == 3) {
            writer.write("12:05");
          }
        };
    assertThat(settled(11)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(pauses).hasSize(3);
  }

  @Test
  void tableThatIsRolledBackMeanwhileEndsTheWaiting() throws Exception {
    EventWriter writer = EventWriter.start(table, "w");
    long first = writer.write("09:05").snapshotId();
    writer.write("10:05");
    meanwhile =
        () ->
            TestCatalog.hadoop(directory)
                .load("events")
                .manageSnapshots()
                .rollbackTo(first)
                .commit();
    assertThat(settled(11)).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void timeIsUpAfterALastPollExactlyThen() throws Exception {
    EventWriter.start(table, "w").write("10:05");
    assertThat(waiting(poll(11), 11)).isInstanceOf(Waiting.Result.TimedOut.class);
    assertThat(pauses.stream().reduce(Duration.ZERO, Duration::plus)).isEqualTo(TIMEOUT);
  }

  @Test
  void pausesGrowUpToTheCapAndAreNeverLessThanHalf() throws Exception {
    EventWriter.start(table, "w").write("10:05");
    waiting(poll(11), 11);
    for (int i = 0; i < pauses.size() - 1; i++) {
      long whole = Math.min(1000L << i, 30_000);
      assertThat(pauses.get(i).toMillis()).as("pause %s", i).isBetween(whole / 2, whole);
    }
    assertThat(pauses).hasSizeLessThan(60);
  }

  @Test
  void storeThatDoesNotAnswerIsAskedAgain() throws Exception {
    EventWriter.start(table, "w").write("12:05");
    Supplier<FinalityAnswer> poll = poll(11);
    Supplier<FinalityAnswer> flaky =
        () -> {
          if (pauses.size() < 4) {
            throw new StoreUnreachableException("nobody is there", null);
          }
          return poll.get();
        };
    assertThat(waiting(flaky, 11)).isInstanceOf(Waiting.Result.Settled.class);
  }

  @Test
  void storeThatNeverAnswersIsSaidSoWhenTheTimeIsUp() throws Exception {
    Supplier<FinalityAnswer> dead =
        () -> {
          throw new StoreUnreachableException("nobody is there", null);
        };
    assertThat(waiting(dead, 11)).isInstanceOf(Waiting.Result.Unreachable.class);
    assertThat(pauses.stream().reduce(Duration.ZERO, Duration::plus)).isEqualTo(TIMEOUT);
  }

  @Test
  void pollThatHangsEndsWithTheTimeAndIsNotAskedAgain() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger polls = new AtomicInteger();
    Supplier<FinalityAnswer> hanging =
        () -> {
          polls.incrementAndGet();
          blockOn(never);
          throw new IllegalStateException("came back");
        };
    // A poll may take what is left of the time and the grace; nobody waits ten minutes here.
    grace = TIMEOUT.negated().plusMillis(300);

    assertThat(waiting(hanging, 11)).isInstanceOf(Waiting.Result.Hanging.class);
    assertThat(polls).hasValueLessThanOrEqualTo(1);
    assertThat(pauses).isEmpty();
  }

  @Test
  void faultOfAPollIsNotTakenForAnAnswer() {
    assertThatThrownBy(
            () ->
                waiting(
                    () -> {
                      throw new NoClassDefFoundError("a/b/C");
                    },
                    11))
        .isInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void onePollIsOneReadOfTheMetadata() throws Exception {
    EventWriter.start(table, "w").write("10:05");
    AtomicInteger reads = new AtomicInteger();
    Table loaded = TestCatalog.hadoop(directory).load("events");
    Table counted = new BaseTable(counting(reads, loaded), "events");
    IcebergFinality reader = IcebergFinality.of(counted, "main", clock);
    waiting(() -> reader.read().answer(start(11), start(11) + HOUR, null), 11);
    assertThat(reads).hasValue(pauses.size() + 1);
  }

  @Test
  void tableWithoutAnyOpinionIsNotWaitedFor() throws Exception {
    assertThat(settled(11)).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(pauses).isEmpty();
  }

  @Test
  void writerThatHasOnlyRegisteredIsWaitedFor() throws Exception {
    EventWriter writer = EventWriter.start(table, "w");
    meanwhile = () -> writer.write("12:05");
    assertThat(settled(11)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(pauses).hasSize(1);
  }

  @Test
  void hourBeforeWhatTheTableSpeaksForIsNotWaitedFor() throws Exception {
    EventWriter.start(
            table,
            dev.tidemark.finalization.watermark.FinalizationConfig.forWriter("w")
                .lookback(1, Duration.ZERO)
                .readFrom(Instant.parse("2026-01-01T10:00:00Z"))
                .build())
        .write("10:05");
    assertThat(settled(8)).isInstanceOf(FinalityAnswer.Unknown.class);
    assertThat(pauses).isEmpty();
  }

  private FinalityAnswer settled(int hour) throws InterruptedException {
    Waiting.Result result = waiting(poll(hour), hour);
    assertThat(result).isInstanceOf(Waiting.Result.Settled.class);
    return ((Waiting.Result.Settled) result).answer();
  }

  private Waiting.Result waiting(Supplier<FinalityAnswer> poll, int hour)
      throws InterruptedException {
    Pace pace = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(30), new SplittableRandom(7));
    return new Waiting(
            pace,
            clock,
            pause -> {
              pauses.add(pause);
              clock.advance(pause);
              meanwhile.run();
            },
            grace)
        .until(poll, start(hour), TIMEOUT);
  }

  private Supplier<FinalityAnswer> poll(int hour) {
    IcebergFinality reader =
        IcebergFinality.of(TestCatalog.hadoop(directory).load("events"), "main", clock);
    return () -> {
      TableFinality finality = reader.read();
      return finality.answer(start(hour), start(hour) + HOUR, null);
    };
  }

  private static DelegatingOperations counting(AtomicInteger reads, Table table) {
    return new DelegatingOperations(((HasTableOperations) table).operations()) {
      @Override
      public TableMetadata refresh() {
        reads.incrementAndGet();
        return super.refresh();
      }
    };
  }

  private static void blockOn(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static long start(int hour) {
    return TestFiles.at("%02d:00".formatted(hour));
  }
}

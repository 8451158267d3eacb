package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** Several writers of one table. */
abstract class WritersContract extends TableContract {
  private static final int COMMITS = 25;

  WritersContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void watermarkIsThatOfTheWriterThatIsBehind() {
    EventWriter a = writer("a");
    EventWriter b = writer("b");
    a.write("10:00");
    b.write("08:00");
    assertWatermark("08:00");

    a.write("10:30");

    assertWatermark("08:00");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b")));
    assertThat(ask("08:00"))
        .isInstanceOfSatisfying(
            FinalityAnswer.NotReady.class,
            answer ->
                assertThat(answer.hold())
                    .isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b"))));

    FinalizationAdmin.of(load()).retire("b");

    assertWatermark("10:00");
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);
  }

  @Test
  void retiringIsOneMetadataVersionWithAnEmptySnapshot() {
    writer("a").write("10:00");
    writer("b").write("08:00");
    Table table = load();
    int versions = versions(table);

    FinalizationAdmin.of(load()).retire("b");

    assertThat(versions(table)).isEqualTo(versions + 1);
    assertThat(SnapshotChanges.builderFor(table).build().addedDataFiles()).isEmpty();
    assertThat(table.currentSnapshot().summary())
        .containsEntry("finalization.writers", "a=" + TestFiles.at("10:00"));
    assertThat(table.properties())
        .containsEntry("finalization.snapshot-id", "" + table.currentSnapshot().snapshotId());
  }

  @Test
  void writerThatJoinsHoldsTheTableUntilItsFirstCandidate() {
    EventWriter a = writer("a");
    a.write("10:05");
    EventWriter b =
        EventWriter.start(load(), EventWriter.config("b").lookback(2, Duration.ZERO).build());
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b")));

    a.write("12:05");
    assertWatermark("10:00");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b")));

    b.write("11:05");
    assertWatermark("10:00");
    a.write("12:30");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b")));

    b.write("11:30");
    assertWatermark("11:00");
  }

  @Test
  void writerThatJoinsBehindTheWatermarkNeverMovesItBack() {
    writer("a").write("10:05");
    EventWriter b = writer("b");

    b.write("07:05");

    assertWatermark("10:00");
    assertThat(load().currentSnapshot().summary()).containsKey("finalization.late");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("a", "b")));
    b.write("12:05");
    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("a")));
  }

  @Test
  void retiringSomebodyUnknownIsRefusedWithTheListOfWriters() {
    writer("a");
    writer("b");
    int versions = versions(load());
    assertThatThrownBy(() -> FinalizationAdmin.of(load()).retire("c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"c\"")
        .hasMessageContaining("[a, b]");
    assertThat(versions(load())).isEqualTo(versions);
  }

  @Test
  void nothingCanBeRetiredFromATableWithoutAnOpinion() {
    assertThatThrownBy(() -> FinalizationAdmin.of(load()).retire("a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("carries no opinion");
  }

  @Test
  void retiredWriterThatWritesAgainJoinsAgain() {
    EventWriter a = writer("a");
    EventWriter b = writer("b");
    b.write("08:05");
    a.write("10:05");
    FinalizationAdmin.of(load()).retire("b");
    assertWatermark("10:00");

    b.write("12:05");
    a.write("13:05");

    assertWatermark("12:00");
  }

  @Test
  void concurrentWritersLoseNothingAndNeverMoveTheWatermarkBack() throws Exception {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("WritersContract: -Dtidemark.test.seed=" + seed);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      EventWriter a = writer("a");
      EventWriter b = writer("b");
      Future<List<Long>> left = threads.submit(() -> stream(a, new Random(seed)));
      Future<List<Long>> right = threads.submit(() -> stream(b, new Random(seed + 1)));
      List<Long> starts = left.get();
      List<Long> others = right.get();

      Table table = load();
      assertThat(TestFiles.paths(table)).hasSize(2 * COMMITS).doesNotHaveDuplicates();
      long last = Long.MIN_VALUE;
      for (Snapshot snapshot : ancestors(table)) {
        String text = snapshot.summary().get("finalization.watermark-ms");
        long watermark = text == null ? last : Long.parseLong(text);
        assertThat(watermark)
            .as("seed %s, snapshot %s", seed, snapshot)
            .isGreaterThanOrEqualTo(last);
        last = watermark;
      }
      long expected = Math.min(floor(starts.get(COMMITS - 1)), floor(others.get(COMMITS - 1)));
      assertThat(last).as("seed %s", seed).isEqualTo(expected);
      assertWatermark(time(expected));
    } finally {
      threads.shutdownNow();
    }
  }

  /** Ascending times, in steps of up to two hours; gives the times. */
  private static List<Long> stream(EventWriter writer, Random random) {
    List<Long> times = new ArrayList<>();
    long time = TestFiles.at("00:00");
    for (int i = 0; i < COMMITS; i++) {
      time += random.nextInt(2 * 3_600_000);
      writer.write(List.of(time));
      times.add(time);
    }
    return times;
  }

  private static long floor(long time) {
    return time - Math.floorMod(time, 3_600_000L);
  }
}

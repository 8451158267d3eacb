package dev.tidemark.finalization.coverage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PromiseTrackerTest {
  private final PromiseTracker tracker = new PromiseTracker();

  @Test
  void aPromiseHoldsOnceItsEndOffsetWasRead() {
    tracker.accept(List.of(report(Map.of("t-0", 5L, "t-1", 5L), vouch(1_000, 10, 5))));

    assertThat(promise("t-0")).isNull();
    assertThat(promise("t-1")).isEqualTo(1_000);

    read("t-0", 9);
    assertThat(promise("t-0")).isNull();
    read("t-0", 10);
    assertThat(promise("t-0")).isEqualTo(1_000);
  }

  @Test
  void anEmptyPartitionIsPromisedAtOnce() {
    tracker.accept(List.of(report(Map.of("t-0", 5L), vouch(1_000, 5, 0))));
    tracker.accept(
        List.of(
            new SourceReport(
                Coverage.of(Map.of("t-1", PartitionProgress.end(0, 900))), List.of())));

    assertThat(promise("t-1")).isEqualTo(1_000);
  }

  @Test
  void aPartitionThatTheVouchDoesNotNameIsNotPromised() {
    tracker.accept(
        List.of(report(Map.of("t-0", 5L, "t-9", 5L), Vouch.of(1_000, Map.of("t-0", 5L)))));

    assertThat(promise("t-0")).isEqualTo(1_000);
    assertThat(promise("t-9")).isNull();
  }

  @Test
  void aPartitionThatOnlyAVouchNamesIsExpected() {
    Coverage coverage = tracker.accept(List.of(report(Map.of("t-0", 10L), vouch(1_000, 10, 5))));

    assertThat(coverage.partition("t-1")).isEqualTo(PartitionProgress.UNKNOWN);
  }

  @Test
  void aLaterPromiseIsNotTakenBackByAnEarlierOne() {
    tracker.accept(List.of(report(Map.of("t-0", 20L, "t-1", 5L), vouch(2_000, 20, 5))));
    tracker.accept(List.of(report(Map.of(), vouch(1_000, 10, 5))));

    assertThat(promise("t-0")).isEqualTo(2_000);
    assertThat(promise("t-1")).isEqualTo(2_000);
  }

  @Test
  void theSourcesOwnPromiseCountsWhereItIsLater() {
    tracker.accept(
        List.of(
            new SourceReport(
                Coverage.of(
                    Map.of(
                        "t-0", PartitionProgress.at(5, null).promising(3_000L),
                        "t-1", PartitionProgress.at(5, null).promising(500L))),
                List.of(vouch(1_000, 5, 5)))));

    assertThat(promise("t-0")).isEqualTo(3_000);
    assertThat(promise("t-1")).isEqualTo(1_000);
  }

  @Test
  void reportsOfOneCheckpointCountInAnyOrder() {
    Random random = Seeds.random("PromiseTracker order");
    for (int round = 0; round < 50; round++) {
      List<SourceReport> reports = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        reports.add(
            report(
                Map.of("t-" + random.nextInt(2), (long) random.nextInt(20)),
                vouch(1_000 + random.nextInt(500), random.nextInt(20), random.nextInt(20))));
      }
      Coverage expected = new PromiseTracker().accept(reports);
      Collections.shuffle(reports, random);
      assertThat(new PromiseTracker().accept(reports)).isEqualTo(expected);
    }
  }

  @Test
  void knowsAllPartitionsOfAllReportsSoFar() {
    tracker.accept(List.of(report(Map.of("t-0", 5L))));

    Coverage coverage = tracker.accept(List.of(report(Map.of("t-1", 7L))));

    assertThat(coverage.partitions().keySet()).containsExactly("t-0", "t-1");
    assertThat(coverage.expected()).isEqualTo(2);
  }

  /**
   * A laggard under thousands of heartbeats: never promised more than what it has read allows, and
   * promised in the end although not every promise is remembered.
   */
  @Test
  void aLongQueueNeverPromisesTooMuchAndStillArrives() {
    for (int beat = 1; beat <= 5_000; beat++) {
      tracker.accept(
          List.of(report(Map.of("t-0", beat * 10L), vouch(beat * 1_000L, beat * 10L, beat * 10L))));
      assertThat(promise("t-0")).isEqualTo(beat * 1_000L);
      assertThat(promise("t-1")).isNull();
    }
    long previous = 0;
    for (long position = 0; position <= 50_000; position += 100) {
      read("t-1", position);
      Long promise = promise("t-1");
      if (promise != null) {
        assertThat(promise).isBetween(previous, position / 10 * 1_000);
        previous = promise;
      }
    }
    assertThat(previous).isEqualTo(5_000_000);
  }

  @Test
  void aReportReadsBackEqual() {
    Random random = Seeds.random("SourceReport round trip");
    for (int round = 0; round < 100; round++) {
      List<Vouch> vouches = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        vouches.add(vouch(random.nextInt(9_999) - 5_000, random.nextInt(999), random.nextInt(9)));
      }
      SourceReport report = report(Map.of("t-0", 7L), vouches.toArray(Vouch[]::new));
      byte[] bytes = report.toBytes();
      assertThat(SourceReport.fromBytes(bytes)).isEqualTo(report);
      assertThat(SourceReport.fromBytes(bytes).toBytes()).isEqualTo(bytes);
      for (int length = 0; length < bytes.length; length++) {
        byte[] part = Arrays.copyOf(bytes, length);
        assertThatIllegalArgumentException()
            .isThrownBy(() -> SourceReport.fromBytes(part))
            .withMessageContaining("Cannot read source ");
      }
    }
  }

  private void read(String partition, long nextOffset) {
    tracker.accept(List.of(report(Map.of(partition, nextOffset))));
  }

  private @Nullable Long promise(String partition) {
    Coverage coverage = tracker.accept(List.of());
    return Objects.requireNonNull(coverage.partition(partition)).promisedMillis();
  }

  private static Vouch vouch(long promised, long end0, long end1) {
    return Vouch.of(promised, Map.of("t-0", end0, "t-1", end1));
  }

  private static SourceReport report(Map<String, Long> nextOffsets, Vouch... vouches) {
    TreeMap<String, PartitionProgress> partitions = new TreeMap<>();
    nextOffsets.forEach((name, next) -> partitions.put(name, PartitionProgress.at(next, null)));
    return new SourceReport(Coverage.of(partitions), List.of(vouches));
  }
}

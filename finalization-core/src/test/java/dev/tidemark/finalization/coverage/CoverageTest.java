package dev.tidemark.finalization.coverage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CoverageTest {
  private static final long TIME = 1_767_265_200_000L;

  @Test
  void mergingIsTheSameInAnyOrderAndGrouping() {
    Random random = Seeds.random("Coverage merge");
    for (int round = 0; round < 200; round++) {
      List<Coverage> reports = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(6); i++) {
        reports.add(random(random, 1 + random.nextInt(8)));
      }
      Coverage once = Coverage.merge(reports);
      Collections.shuffle(reports, random);
      Coverage folded = Coverage.of(Map.of());
      for (Coverage report : reports) {
        folded = Coverage.merge(List.of(report, folded));
      }

      assertThat(Coverage.merge(reports)).isEqualTo(once);
      assertThat(folded).isEqualTo(once);
      assertThat(Coverage.merge(List.of(once, once))).isEqualTo(once);
      assertThat(Coverage.merge(reports).toBytes()).isEqualTo(once.toBytes());
    }
    assertThat(Coverage.merge(List.of())).isEqualTo(Coverage.of(Map.of()));
  }

  @Test
  void theFurthestPositionAndTheLatestSampleCount() {
    PartitionProgress merged =
        new PartitionProgress(7L, 20L, TIME, TIME, null, null, null)
            .merge(new PartitionProgress(5L, 12L, TIME + 1, TIME - 1, TIME, null, null));

    assertThat(merged).isEqualTo(new PartitionProgress(7L, 12L, TIME + 1, TIME, TIME, null, null));
    assertThat(merged.lag()).isEqualTo(5);
    assertThat(merged.standsAtEnd()).isFalse();
  }

  @Test
  void standsAtItsEndOnlyWhereBothAreKnown() {
    assertThat(PartitionProgress.UNKNOWN.standsAtEnd()).isFalse();
    assertThat(PartitionProgress.at(7, null).standsAtEnd()).isFalse();
    assertThat(PartitionProgress.end(7, TIME).standsAtEnd()).isFalse();
    assertThat(PartitionProgress.end(7, TIME).lag()).isNull();
    assertThat(PartitionProgress.end(0, TIME).standsAtEnd()).isTrue();
    assertThat(PartitionProgress.at(6, null).merge(PartitionProgress.end(7, TIME)).standsAtEnd())
        .isFalse();
    assertThat(PartitionProgress.at(7, null).merge(PartitionProgress.end(7, TIME)).standsAtEnd())
        .isTrue();
    assertThat(PartitionProgress.at(9, null).merge(PartitionProgress.end(7, TIME)).lag()).isZero();
  }

  @Test
  void bytesReadBackEqual() {
    Random random = Seeds.random("Coverage round trip");
    for (int round = 0; round < 300; round++) {
      Coverage coverage = random(random, random.nextInt(20));
      Coverage read = Coverage.fromBytes(coverage.toBytes());
      assertThat(read).isEqualTo(coverage);
      assertThat(read.toBytes()).isEqualTo(coverage.toBytes());
      assertThat(Coverage.fromText(coverage.toText())).isEqualTo(coverage);
    }
  }

  @Test
  void namesWithoutANumberReadBackToo() {
    Coverage coverage =
        Coverage.of(
            Map.of(
                "events-0", PartitionProgress.at(1, null),
                "events-1", PartitionProgress.at(2, null),
                "plain", PartitionProgress.at(3, null),
                "zoo", PartitionProgress.at(4, null),
                "zoo-a-17", PartitionProgress.at(5, null)));

    assertThat(Coverage.fromBytes(coverage.toBytes())).isEqualTo(coverage);
  }

  @Test
  void damagedBytesAreRefusedOrReadWhole() {
    Random random = Seeds.random("Coverage damage");
    for (int round = 0; round < 2_000; round++) {
      byte[] bytes = random(random, 1 + random.nextInt(5)).toBytes();
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        Coverage read = Coverage.fromBytes(bytes);
        assertThat(Coverage.fromBytes(read.toBytes())).isEqualTo(read);
      } catch (IllegalArgumentException refused) {
        assertThat(refused).hasMessageContaining("source coverage");
      }
    }
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] bytes = random(new Random(5), 5).toBytes();
    for (int length = 0; length <= bytes.length + 1; length++) {
      if (length != bytes.length) {
        byte[] other = Arrays.copyOf(bytes, length);
        assertThatIllegalArgumentException()
            .isThrownBy(() -> Coverage.fromBytes(other))
            .withMessageContaining("source coverage");
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Coverage.fromText("?"))
        .withMessageContaining("source coverage");
  }

  @Test
  void refusesLessPartitionsThanItLists() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new Coverage(new TreeMap<>(Map.of("events-0", PartitionProgress.UNKNOWN)), 0))
        .withMessage("Invalid number of expected partitions: 0 (expected: at least the 1 listed)");
  }

  @Test
  void upTo64PartitionsAreAllKept() {
    Coverage coverage = random(new Random(6), Coverage.MAX_LISTED);

    assertThat(coverage.abridged()).isEqualTo(coverage);
    assertThat(coverage.isAbridged()).isFalse();
  }

  @Test
  void aboveThatOnlyTheWorstLaggardsAndTheCount() {
    Map<String, PartitionProgress> partitions = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      // 100 stand at their ends, 99 lag by their number, one has reported no position.
      Long next = i == 150 ? null : Long.valueOf(1_000 - (i < 100 ? 0 : i));
      partitions.put(
          "events-" + i, new PartitionProgress(next, 1_000L, TIME, TIME, null, null, null));
    }
    Coverage kept = Coverage.fromText(Coverage.of(partitions).toText());

    assertThat(kept.expected()).isEqualTo(200);
    assertThat(kept.isAbridged()).isTrue();
    assertThat(kept.partitions()).hasSize(Coverage.MAX_LISTED).containsKey("events-150");
    assertThat(kept.partition("events-199")).isNotNull();
    assertThat(kept.partition("events-136")).isNotNull();
    assertThat(kept.partition("events-135")).isNull();
    assertThat(kept.partition("events-0")).isNull();
  }

  @Test
  void aPartitionTakesAbout16Bytes() {
    Map<String, PartitionProgress> partitions = new TreeMap<>();
    Random random = new Random(8);
    for (int i = 0; i < 64; i++) {
      long next = 1_000_000 + random.nextInt(1_000_000);
      partitions.put(
          "orders-" + i,
          new PartitionProgress(
              next,
              next + random.nextInt(50),
              TIME - random.nextInt(500),
              TIME - 2_000 - random.nextInt(3_000),
              null,
              TIME + 30_000,
              1_234L));
    }

    assertThat(Coverage.of(partitions).toBytes().length).isLessThan(64 * 20);
  }

  private static Coverage random(Random random, int partitions) {
    Map<String, PartitionProgress> map = new TreeMap<>();
    for (int i = 0; i < partitions; i++) {
      String topic = random.nextInt(3) == 0 ? "orders" : "web.events-v2";
      map.put(
          topic + "-" + random.nextInt(20),
          new PartitionProgress(
              orNull(random, random.nextInt(100_000)),
              orNull(random, random.nextInt(100_000)),
              orNull(random, TIME + random.nextInt(100_000)),
              orNull(random, TIME - random.nextInt(1_000_000)),
              orNull(random, TIME - random.nextInt(1_000_000)),
              orNull(random, TIME - random.nextInt(1_000_000)),
              orNull(random, random.nextInt(1_000))));
    }
    return Coverage.of(map);
  }

  private static @Nullable Long orNull(Random random, long value) {
    return random.nextInt(4) == 0 ? null : Long.valueOf(value);
  }
}

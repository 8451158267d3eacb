package dev.tidemark.finalization.granule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GranuleCountsTest {
  private static final long HOUR = 3_600_000L;

  @Test
  void mergingIsTheSumInAnyOrderAndGrouping() {
    Random random = Seeds.random("GranuleCounts merge");
    for (int round = 0; round < 100; round++) {
      List<GranuleCounts> parts = new ArrayList<>();
      TreeMap<Long, Long> sum = new TreeMap<>();
      for (int i = 0; i <= random.nextInt(8); i++) {
        GranuleCounts part = random(random);
        part.asMap().forEach((start, rows) -> sum.merge(start, rows, Long::sum));
        parts.add(part);
      }
      GranuleCounts expected = GranuleCounts.of(sum);
      Collections.shuffle(parts, random);
      GranuleCounts folded = GranuleCounts.none();
      for (GranuleCounts part : parts) {
        folded = GranuleCounts.merge(List.of(part, folded));
      }

      assertThat(GranuleCounts.merge(parts)).isEqualTo(expected).hasSameHashCodeAs(expected);
      assertThat(folded).isEqualTo(expected);
      assertThat(expected.total()).isEqualTo(parts.stream().mapToLong(GranuleCounts::total).sum());
      assertThat(read(bytes(expected))).isEqualTo(expected);
    }
    assertThat(GranuleCounts.merge(List.of())).isEqualTo(GranuleCounts.none());
  }

  @Test
  void beforeAWatermarkAreTheGranulesThatStartBeforeIt() {
    GranuleCounts counts =
        GranuleCounts.of(new TreeMap<>(Map.of(-HOUR, 1L, 0L, 2L, HOUR, 4L, 3 * HOUR, 8L)));

    assertThat(counts.before(-HOUR).isEmpty()).isTrue();
    assertThat(counts.before(0).total()).isEqualTo(1);
    assertThat(counts.before(HOUR).total()).isEqualTo(3);
    assertThat(counts.before(2 * HOUR).total()).isEqualTo(7);
    assertThat(counts.before(3 * HOUR).total()).isEqualTo(7);
    // A watermark inside a granule: its rows are counted whole, lateness is never hidden.
    assertThat(counts.before(3 * HOUR + 1).total()).isEqualTo(15);
  }

  @Test
  void regroupsUnderCoarserBoundaries() {
    GranuleCounts counts = GranuleCounts.of(new TreeMap<>(Map.of(0L, 2L, HOUR, 4L, 24 * HOUR, 8L)));

    assertThat(counts.regroup(Granularity.DAY::floor).asMap())
        .isEqualTo(Map.of(0L, 6L, 24 * HOUR, 8L));
  }

  @Test
  void leavesOutGranulesWithoutRowsAndRefusesLessThanNone() {
    assertThat(GranuleCounts.of(new TreeMap<>(Map.of(0L, 0L)))).isEqualTo(GranuleCounts.none());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GranuleCounts.of(new TreeMap<>(Map.of(HOUR, -1L))))
        .withMessage("Invalid rows of granule 3600000: -1");
  }

  @Test
  void bytesThatItNeverWritesAreRefused() {
    List<ByteWriter> damaged =
        List.of(
            new ByteWriter().writeUnsigned(1).writeSigned(5).writeUnsigned(0),
            new ByteWriter().writeUnsigned(1).writeSigned(5).writeUnsigned(-1),
            new ByteWriter()
                .writeUnsigned(2)
                .writeSigned(5)
                .writeUnsigned(1)
                .writeSigned(0)
                .writeUnsigned(1),
            new ByteWriter()
                .writeUnsigned(2)
                .writeSigned(5)
                .writeUnsigned(1)
                .writeSigned(-1)
                .writeUnsigned(1));
    for (ByteWriter bytes : damaged) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> read(bytes.toByteArray()))
          .withMessageContaining("rows of this test");
    }
    byte[] whole = bytes(random(new Random(3)));
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> read(part))
          .withMessageContaining("rows of this test");
    }
  }

  private static GranuleCounts random(Random random) {
    TreeMap<Long, Long> counts = new TreeMap<>();
    for (int i = 0; i < 1 + random.nextInt(30); i++) {
      counts.put((random.nextInt(60) - 20) * HOUR, (long) random.nextInt(1_000));
    }
    return GranuleCounts.of(counts);
  }

  private static byte[] bytes(GranuleCounts counts) {
    ByteWriter out = new ByteWriter();
    counts.writeTo(out);
    return out.toByteArray();
  }

  private static GranuleCounts read(byte[] bytes) {
    ByteReader in = new ByteReader("rows of this test", bytes);
    GranuleCounts counts = GranuleCounts.readFrom(in);
    in.expectEnd();
    return counts;
  }
}

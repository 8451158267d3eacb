package dev.tidemark.finalization.eventtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EventTimeSketchTest {
  private static final long TIME = 1_767_265_200_000L;

  @Test
  void samePartsInAnyOrderGiveTheSameBytes() {
    Random random = Seeds.random("EventTimeSketch orders");
    for (int round = 0; round < 50; round++) {
      List<EventTimeSketch> parts = parts(random, 1 + random.nextInt(20));
      byte[] expected = EventTimeSketch.merge(parts).toBytes();
      for (int order = 0; order < 5; order++) {
        Collections.shuffle(parts, random);
        assertThat(EventTimeSketch.merge(parts).toBytes()).isEqualTo(expected);
      }
    }
  }

  @Test
  void regroupingNeverChangesCountMinAndMax() {
    Random random = Seeds.random("EventTimeSketch groups");
    for (int round = 0; round < 50; round++) {
      List<EventTimeSketch> parts = parts(random, 2 + random.nextInt(20));
      EventTimeSketch once = EventTimeSketch.merge(parts);
      EventTimeSketch folded = EventTimeSketch.empty();
      for (EventTimeSketch part : parts) {
        folded = EventTimeSketch.merge(List.of(folded, part));
      }
      assertThat(folded.count()).isEqualTo(once.count());
      assertThat(folded.minMillis()).isEqualTo(once.minMillis());
      assertThat(folded.maxMillis()).isEqualTo(once.maxMillis());
    }
  }

  @Test
  void theTextNeverExceedsItsLength() {
    Random random = Seeds.random("EventTimeSketch text");
    for (int round = 0; round < 300; round++) {
      long spread = 1L << random.nextInt(62);
      int count = 1 + random.nextInt(3_000);
      long[] times = new long[count];
      Arrays.setAll(times, i -> TIME - (long) (random.nextDouble() * spread));
      EventTimeSketch sketch = EventTimeSketch.of(times);

      String text = sketch.toText();

      assertThat(text.length())
          .as("spread %s, count %s", spread, count)
          .isLessThanOrEqualTo(EventTimeSketch.MAX_TEXT_LENGTH);
      EventTimeSketch read = EventTimeSketch.fromText(text);
      assertThat(read.count()).isEqualTo(count);
      assertThat(read.minMillis()).isEqualTo(sketch.minMillis());
      assertThat(read.maxMillis()).isEqualTo(sketch.maxMillis());
    }
  }

  @Test
  void anEmptySketchHasNoTime() {
    EventTimeSketch empty = EventTimeSketch.of();

    assertThat(empty.isEmpty()).isTrue();
    assertThat(EventTimeSketch.fromText(empty.toText())).isEqualTo(empty);
    assertThatIllegalStateException().isThrownBy(empty::minMillis).withMessageContaining("empty");
    assertThatIllegalStateException().isThrownBy(empty::maxMillis);
    assertThatIllegalStateException().isThrownBy(() -> empty.quantileMillis(0.5));
  }

  @Test
  void refusesAQuantileThatIsNone() {
    EventTimeSketch sketch = EventTimeSketch.of(TIME);
    for (double quantile : new double[] {-0.01, 1.01, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> sketch.quantileMillis(quantile))
          .withMessage("Invalid quantile: " + quantile + " (expected: from 0 to 1)");
    }
  }

  @Test
  void textThatIsNoSketchIsRefusedByName() {
    String text = EventTimeSketch.of(TIME, TIME + 5, TIME + 70).toText();
    List<String> damaged = new ArrayList<>(List.of("", "not base64!", text + "AAAA"));
    for (int length = 0; length < text.length(); length++) {
      damaged.add(text.substring(0, length));
    }
    for (String one : damaged) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> EventTimeSketch.fromText(one))
          .withMessageContaining("event-time sketch");
    }
  }

  @Test
  void centroidsThatCannotBeAreRefused() {
    assertRefused(
        sketch(2, TIME, 10)
            .writeUnsigned(2)
            .writeUnsigned(0)
            .writeUnsigned(3)
            .writeUnsigned(5)
            .writeUnsigned(-1));
    assertRefused(
        sketch(2, TIME, 10)
            .writeUnsigned(2)
            .writeUnsigned(0)
            .writeUnsigned(2)
            .writeUnsigned(5)
            .writeUnsigned(0));
    assertRefused(sketch(1, TIME, 10).writeUnsigned(1).writeUnsigned(11).writeUnsigned(1));
    assertRefused(
        sketch(2, TIME, 10)
            .writeUnsigned(2)
            .writeUnsigned(9)
            .writeUnsigned(1)
            .writeUnsigned(-5)
            .writeUnsigned(1));
    assertRefused(sketch(1, TIME, -1).writeUnsigned(1).writeUnsigned(0).writeUnsigned(1));
    assertRefused(sketch(3, TIME, 10).writeUnsigned(1).writeUnsigned(0).writeUnsigned(1));
    assertRefused(sketch(-1, TIME, 10).writeUnsigned(1).writeUnsigned(0).writeUnsigned(-1));
    assertRefused(sketch(1, TIME, 10).writeUnsigned(0));
  }

  private static ByteWriter sketch(long count, long min, long range) {
    return new ByteWriter().writeByte(1).writeUnsigned(count).writeSigned(min).writeUnsigned(range);
  }

  private static void assertRefused(ByteWriter bytes) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventTimeSketch.fromBytes(bytes.toByteArray()))
        .withMessageContaining("event-time sketch");
  }

  private static List<EventTimeSketch> parts(Random random, int count) {
    List<EventTimeSketch> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long[] times = new long[1 + random.nextInt(500)];
      Arrays.setAll(times, j -> TIME - (long) Math.exp(8 + 2 * random.nextGaussian()));
      parts.add(EventTimeSketch.of(times));
    }
    return parts;
  }
}

package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;

/** Partitions as Kafka's own partitioner gives them; the values are those of a Kafka producer. */
class PinotPartitioningTest {
  private static final List<Integer> ONE_TO_FOUR = List.of(1, 2, 3, 4);

  @Test
  void textKeys() {
    PinotPartitioning text = PinotPartitioning.kafka(4, KeySerializer.string(), "id");
    assertThat(ONE_TO_FOUR.stream().map(i -> text.partition(List.of("" + i))))
        .containsExactly(3, 0, 3, 1);
    assertThat(IntStream.rangeClosed(1, 8).mapToObj(i -> text.partition(List.of("o" + i))))
        .containsExactly(3, 2, 3, 0, 2, 2, 1, 3);
  }

  @Test
  void longKeys() {
    PinotPartitioning longs = PinotPartitioning.kafka(4, KeySerializer.int64(), "id");
    assertThat(ONE_TO_FOUR.stream().map(i -> longs.partition(List.of((long) i))))
        .containsExactly(0, 0, 3, 0);
    assertThat(ONE_TO_FOUR.stream().map(i -> longs.partition(List.of(i))))
        .as("an int column, written as a long")
        .containsExactly(0, 0, 3, 0);
  }

  @Test
  void intKeys() {
    PinotPartitioning ints = PinotPartitioning.kafka(4, KeySerializer.int32(), "id");
    assertThat(ONE_TO_FOUR.stream().map(i -> ints.partition(List.of(i))))
        .containsExactly(0, 3, 3, 3);
  }

  @Test
  void bytesAndCompositesAreHashedAsTheyAreSerialized() {
    PinotPartitioning bytes = PinotPartitioning.kafka(4, KeySerializer.bytes(), "id");
    assertThat(bytes.partition(List.of((Object) "o7".getBytes(StandardCharsets.UTF_8))))
        .isEqualTo(1);
    PinotPartitioning joined = PinotPartitioning.kafka(4, KeySerializer.joined(""), "a", "b");
    assertThat(joined.partition(List.of("o", 7))).isEqualTo(1);
    PinotPartitioning composite =
        PinotPartitioning.kafka(
            4, KeySerializer.composite(KeySerializer.string(), KeySerializer.string()), "a", "b");
    assertThat(composite.partition(List.of("o", "7"))).isEqualTo(1);
  }

  @Test
  void readsTheKeyColumnsOfARow() {
    GenericRow row = new GenericRow();
    row.putValue("id", "o4");
    assertThat(PinotPartitioning.kafka(4, KeySerializer.string(), "id").partition(row)).isZero();
  }

  @Test
  void aMissingKeyIsNoKey() {
    PinotPartitioning text = PinotPartitioning.kafka(4, KeySerializer.string(), "id");
    assertThatThrownBy(() -> text.partition(new GenericRow()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot serialize key [null] (expected: text or a number)");
  }

  @Test
  void aKeyOfAnotherTypeIsRefused() {
    PinotPartitioning longs = PinotPartitioning.kafka(4, KeySerializer.int64(), "id");
    assertThatThrownBy(() -> longs.partition(List.of("7")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot serialize key [7 of String] (expected: an integer)");
  }

  @Test
  void aPartitionerMustAnswerAPartition() {
    PinotPartitioning modulo = PinotPartitioning.of(4, (key, n) -> (Integer) key.get(0) % n, "id");
    assertThat(modulo.partition(List.of(7))).isEqualTo(3);
    assertThatThrownBy(() -> modulo.partition(List.of(-7)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid partition of key [-7]: -3 (expected: from 0 to 3)");
  }
}

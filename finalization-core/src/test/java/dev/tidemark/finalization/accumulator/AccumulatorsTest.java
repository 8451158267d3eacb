package dev.tidemark.finalization.accumulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AccumulatorsTest {
  private final LongRangeAccumulatorFactory<Long> first =
      new LongRangeAccumulatorFactory<>("first", value -> value);
  private final LongRangeAccumulatorFactory<Long> second =
      new LongRangeAccumulatorFactory<>("second", value -> -value);
  private final Accumulators<Long> both = new Accumulators<>(List.of(first, second));

  @Test
  void refusesTwoOfOneName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Accumulators<>(List.of(first, second, first)))
        .withMessageContaining("two are named \"range.first\"");
  }

  @Test
  void drainingStartsTheNextCommit() {
    AccumulatorSet<Long> writer = both.create();
    writer.add(3L);

    assertThat(range(writer.drain(), "range.first")).isEqualTo(new LongRange(1, 0, 3, 3));
    assertThat(range(writer.drain(), "range.first")).isEqualTo(LongRange.EMPTY);
  }

  @Test
  void mergesEachByItsName() {
    AccumulatorSet<Long> one = both.create();
    AccumulatorSet<Long> other = both.create();
    one.add(3L);
    other.add(8L);

    Map<String, byte[]> merged = both.merge(List.of(other.drain(), one.drain()));

    assertThat(range(merged, "range.first")).isEqualTo(new LongRange(2, 0, 3, 8));
    assertThat(range(merged, "range.second")).isEqualTo(new LongRange(2, 0, -8, -3));
    assertThat(both.properties(merged))
        .containsEntry("tidemark.range.first.max", "8")
        .containsEntry("tidemark.range.second.max", "-3");
  }

  @Test
  void anAccumulatorThatNoWriterSentIsEmpty() {
    Map<String, byte[]> merged =
        both.merge(List.of(new Accumulators<>(List.of(first)).create().drain()));

    assertThat(merged.keySet()).containsExactly("range.first", "range.second");
    assertThat(range(merged, "range.second")).isEqualTo(LongRange.EMPTY);
  }

  @Test
  void refusesAnAccumulatorThatItDoesNotHave() {
    Accumulators<Long> one = new Accumulators<>(List.of(first));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> one.merge(List.of(both.create().drain())))
        .withMessageContaining("\"range.second\"")
        .withMessageContaining("[range.first]");
  }

  @Test
  void propertiesSkipForeignNames() {
    Map<String, byte[]> merged = both.merge(List.of(both.create().drain()));

    assertThat(new Accumulators<>(List.of(first)).properties(merged))
        .containsOnlyKeys("tidemark.range.first.count", "tidemark.range.first.null-count");
  }

  private LongRange range(Map<String, byte[]> drained, String name) {
    return first.codec().decode(Objects.requireNonNull(drained.get(name)));
  }
}

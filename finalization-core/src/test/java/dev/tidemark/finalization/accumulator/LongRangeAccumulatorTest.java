package dev.tidemark.finalization.accumulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LongRangeAccumulatorTest
    extends AccumulatorContract<LongRangeAccumulatorTest.Row, LongRange> {

  record Row(@Nullable Long distance) {}

  @Override
  protected AccumulatorFactory<Row, LongRange> factory() {
    return new LongRangeAccumulatorFactory<>("distance", Row::distance);
  }

  @Override
  protected Row record(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> new Row(null);
      case 1 -> new Row(random.nextLong());
      default -> new Row((long) random.nextInt(1_000));
    };
  }

  @Override
  protected String subject() {
    return "long range";
  }

  @Override
  protected void assertAgree(LongRange one, LongRange other) {
    assertThat(other).isEqualTo(one);
  }

  @Test
  void keepsCountNullsAndEnds() {
    Accumulator<Row, LongRange> range = factory().create();
    List.of(new Row(5L), new Row(null), new Row(-7L), new Row(Long.MAX_VALUE)).forEach(range::add);

    assertThat(range.snapshot()).isEqualTo(new LongRange(3, 1, -7, Long.MAX_VALUE));
    assertThat(factory().properties(range.snapshot()))
        .containsEntry("tidemark.range.distance.count", "3")
        .containsEntry("tidemark.range.distance.null-count", "1")
        .containsEntry("tidemark.range.distance.min", "-7")
        .containsEntry("tidemark.range.distance.max", "9223372036854775807")
        .hasSize(4);
  }

  @Test
  void hasNoEndsWithoutAValue() {
    Accumulator<Row, LongRange> range = factory().create();
    range.add(new Row(null));

    assertThat(factory().properties(range.snapshot()))
        .containsOnlyKeys("tidemark.range.distance.count", "tidemark.range.distance.null-count");
  }
}

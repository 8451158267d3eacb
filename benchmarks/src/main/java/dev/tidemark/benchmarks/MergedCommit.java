package dev.tidemark.benchmarks;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * One commit's merge: each round in another order of the writers, checked for the same bytes.
 *
 * @param <T> the record
 */
final class MergedCommit<T> implements CpuRounds.Case {
  private final Accumulators<T> accumulators;
  private final List<Map<String, byte[]>> drained;
  private final Totals totals;
  private final Random order = new Random(1);
  private final byte[] expected;
  private byte[] merged;
  private Map<String, String> properties = Map.of();

  MergedCommit(Accumulators<T> accumulators, List<Map<String, byte[]>> drained, Totals totals) {
    this.accumulators = accumulators;
    this.drained = new ArrayList<>(drained);
    this.totals = totals;
    this.expected = eventTime(accumulators.merge(drained));
    this.merged = expected;
  }

  @Override
  public void run() {
    Map<String, byte[]> all = accumulators.merge(drained);
    properties = accumulators.properties(all);
    merged = eventTime(all);
  }

  @Override
  public void verify() {
    totals.verify(new EventTimeFacts.Codec().decode(merged));
    if (!Arrays.equals(merged, expected) || properties.isEmpty()) {
      throw new IllegalStateException("Another order of the same parts was merged to other bytes");
    }
    Collections.shuffle(drained, order);
  }

  private static byte[] eventTime(Map<String, byte[]> merged) {
    return Objects.requireNonNull(merged.get(EventTimeAccumulatorFactory.NAME));
  }
}

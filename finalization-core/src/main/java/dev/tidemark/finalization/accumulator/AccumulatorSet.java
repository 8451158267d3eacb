package dev.tidemark.finalization.accumulator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All accumulators of one writer. Used by one thread.
 *
 * @param <T> the record
 */
public final class AccumulatorSet<T> {
  private final Slot<T, ?>[] slots;

  /** The accumulator, if there is but one: a record should not have to look it up twice. */
  private final @Nullable Accumulator<T, ?> only;

  @SuppressWarnings({"unchecked", "rawtypes"})
  AccumulatorSet(List<AccumulatorFactory<T, ?>> factories) {
    this.slots = factories.stream().map(Slot::new).toArray(Slot[]::new);
    this.only = slots.length == 1 ? slots[0].accumulator : null;
  }

  /** Adds one written record to every accumulator. */
  public void add(T record) {
    if (only != null) {
      only.add(record);
      return;
    }
    for (Slot<T, ?> slot : slots) {
      slot.accumulator.add(record);
    }
  }

  /** Takes the snapshot of every accumulator and resets it: name to versioned bytes. */
  public Map<String, byte[]> drain() {
    Map<String, byte[]> drained = new LinkedHashMap<>();
    for (Slot<T, ?> slot : slots) {
      drained.put(slot.factory.name(), slot.drain());
    }
    return drained;
  }

  private static final class Slot<T, S> {
    private final AccumulatorFactory<T, S> factory;
    private final Accumulator<T, S> accumulator;

    Slot(AccumulatorFactory<T, S> factory) {
      this.factory = factory;
      this.accumulator = factory.create();
    }

    byte[] drain() {
      byte[] bytes = factory.codec().encode(accumulator.snapshot());
      accumulator.reset();
      return bytes;
    }
  }
}

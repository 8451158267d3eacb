package dev.tidemark.finalization.accumulator;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The accumulators that a sink was given: makes the set of each writer, merges what the writers
 * drained, and says what the store keeps. Immutable; thread-safe if the factories are.
 *
 * @param <T> the record
 */
public final class Accumulators<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial")
  private final ArrayList<AccumulatorFactory<T, ?>> factories;

  /**
   * @throws IllegalArgumentException if two factories share a name
   */
  public Accumulators(Collection<? extends AccumulatorFactory<T, ?>> factories) {
    this.factories = new ArrayList<>(factories);
    Set<String> names = new LinkedHashSet<>();
    for (AccumulatorFactory<T, ?> factory : factories) {
      if (!names.add(factory.name())) {
        throw new IllegalArgumentException(
            "Invalid accumulators: two are named \""
                + factory.name()
                + "\" (expected: one name each; rename one of them)");
      }
    }
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return factories.isEmpty();
  }

  /** A new set for one writer. */
  public AccumulatorSet<T> create() {
    return new AccumulatorSet<>(factories);
  }

  /**
   * Merges what the writers of one commit drained.
   *
   * @param drained one map per writer, in any order
   * @return name to bytes; every accumulator of this sink is there, an empty one if no writer had
   *     it
   * @throws IllegalArgumentException if a writer sent an accumulator that this sink does not have
   */
  public Map<String, byte[]> merge(List<Map<String, byte[]>> drained) {
    Map<String, List<byte[]>> parts = new TreeMap<>();
    factories.forEach(factory -> parts.put(factory.name(), new ArrayList<>()));
    for (Map<String, byte[]> writer : drained) {
      writer.forEach(
          (name, bytes) -> {
            List<byte[]> known = parts.get(name);
            if (known == null) {
              throw new IllegalArgumentException(
                  "Cannot merge accumulator \"" + name + "\" (expected: " + parts.keySet() + ")");
            }
            known.add(bytes);
          });
    }
    Map<String, byte[]> merged = new LinkedHashMap<>();
    factories.forEach(f -> merged.put(f.name(), mergeBytes(f, parts.get(f.name()))));
    return merged;
  }

  /**
   * What the store keeps of merged accumulators; bytes under a name that is not here are skipped.
   */
  public Map<String, String> properties(Map<String, byte[]> merged) {
    Map<String, String> properties = new LinkedHashMap<>();
    factories.forEach(factory -> properties.putAll(properties(factory, merged)));
    return properties;
  }

  private static <T, S> byte[] mergeBytes(
      AccumulatorFactory<T, S> factory, @Nullable List<byte[]> parts) {
    List<S> decoded = new ArrayList<>();
    if (parts != null) {
      parts.forEach(bytes -> decoded.add(factory.codec().decode(bytes)));
    }
    return factory.codec().encode(factory.merge(decoded));
  }

  private static <T, S> Map<String, String> properties(
      AccumulatorFactory<T, S> factory, Map<String, byte[]> merged) {
    byte[] bytes = merged.get(factory.name());
    return bytes == null ? Map.of() : factory.properties(factory.codec().decode(bytes));
  }
}

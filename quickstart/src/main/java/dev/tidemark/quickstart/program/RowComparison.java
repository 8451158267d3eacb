package dev.tidemark.quickstart.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Two tables beside each other, row by row.
 *
 * @param rows how many rows there should be
 * @param differing how many keys differ: a row that is missing, too much, or other than it should
 * @param differences a line for each of the first few
 */
public record RowComparison(int rows, int differing, List<String> differences) {
  private static final int SHOWN = 5;

  /**
   * The rows of one table.
   *
   * @param name of the table, for people
   * @param byKey what a row is, by its key; compared with {@code equals}
   */
  public record Rows<K>(String name, SortedMap<K, ?> byKey) {}

  /** Compares by key. */
  public static <K extends Comparable<K>> RowComparison of(Rows<K> expected, Rows<K> actual) {
    SortedSet<K> keys = new TreeSet<>(expected.byKey().keySet());
    keys.addAll(actual.byKey().keySet());
    List<String> differences = new ArrayList<>();
    int differing = 0;
    for (K key : keys) {
      Object theirs = expected.byKey().get(key);
      Object ours = actual.byKey().get(key);
      if (!Objects.equals(theirs, ours)) {
        differing++;
        if (differences.size() < SHOWN) {
          differences.add(
              "key %s: %s %s, %s %s".formatted(key, actual.name(), ours, expected.name(), theirs));
        }
      }
    }
    return new RowComparison(expected.byKey().size(), differing, List.copyOf(differences));
  }

  /** Whether both are the same. */
  public boolean agrees() {
    return differing == 0;
  }

  /** For people: how many rows were compared, or differ. */
  public String verdict(String with) {
    return agrees()
        ? String.format(Locale.ROOT, "equal to %s, %,d rows compared", with, rows)
        : String.format(Locale.ROOT, "%,d rows DIFFER from %s", differing, with);
  }
}

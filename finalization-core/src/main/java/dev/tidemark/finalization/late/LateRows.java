package dev.tidemark.finalization.late;

import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The late rows of one commit as a store keeps them: at most {@value #MAX_GRANULES} granules one by
 * one, older ones as a sum. Immutable and thread-safe.
 *
 * @param granules rows per granule, the newest
 * @param olderRows rows of granules older than those
 */
public record LateRows(GranuleCounts granules, long olderRows) {
  /** How many granules are kept one by one. */
  public static final int MAX_GRANULES = 24;

  private static final int MAX_TEXT_LENGTH = 200;

  /** No late row. */
  public static final LateRows NONE = new LateRows(GranuleCounts.none(), 0);

  /** The newest granules one by one, as many as fit, and the sum of the others. */
  public static LateRows of(GranuleCounts counts) {
    SortedMap<Long, Long> newest = new TreeMap<>(counts.asMap());
    long older = 0;
    while (newest.size() > MAX_GRANULES || text(newest, older).length() > MAX_TEXT_LENGTH) {
      Long rows = newest.remove(newest.firstKey());
      older += rows == null ? 0 : rows;
    }
    return new LateRows(GranuleCounts.of(newest), older);
  }

  /** All late rows. */
  public long total() {
    return granules.total() + olderRows;
  }

  /** Comma-separated {@code start:rows}; see {@link SecondsList} for the starts. */
  public String toText() {
    return text(granules.asMap(), olderRows);
  }

  /**
   * Reads {@link #toText}.
   *
   * @throws IllegalArgumentException if it is not such a text
   */
  public static LateRows fromText(String text) {
    SecondsList list = SecondsList.read(text);
    SortedMap<Long, Long> granules = new TreeMap<>();
    list.items().forEach(i -> granules.put(i.startMillis(), SecondsList.number(text, i.value())));
    return new LateRows(GranuleCounts.of(granules), list.older());
  }

  private static String text(SortedMap<Long, Long> granules, long older) {
    List<SecondsList.Item> items = new ArrayList<>();
    granules.forEach((start, rows) -> items.add(new SecondsList.Item(start, rows.toString())));
    return SecondsList.write(items, older);
  }
}

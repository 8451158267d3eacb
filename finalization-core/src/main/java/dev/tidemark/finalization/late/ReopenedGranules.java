package dev.tidemark.finalization.late;

import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Granules that got rows after they were final, with how many and how often. The newest {@value
 * #MAX_GRANULES} are kept one by one, older ones as a sum. Immutable and thread-safe.
 *
 * @param granules by granule start, epoch milliseconds UTC
 * @param olderRows rows of granules older than those
 */
public record ReopenedGranules(SortedMap<Long, Reopened> granules, long olderRows) {
  /** How many granules are kept one by one. */
  public static final int MAX_GRANULES = 24;

  /** Nothing was reopened. */
  public static final ReopenedGranules NONE = new ReopenedGranules(new TreeMap<>(), 0);

  /**
   * One granule.
   *
   * @param rows rows that came after it was final
   * @param revision how many commits brought them: 0 is the granule as it became final
   */
  public record Reopened(long rows, int revision) {}

  public ReopenedGranules {
    granules = Collections.unmodifiableSortedMap(new TreeMap<>(granules));
  }

  /** These and one more commit's late rows; each of its granules gets one revision more. */
  public ReopenedGranules plus(GranuleCounts lateRows) {
    if (lateRows.isEmpty()) {
      return this;
    }
    SortedMap<Long, Reopened> sum = new TreeMap<>(granules);
    lateRows
        .asMap()
        .forEach(
            (granule, rows) ->
                sum.merge(
                    granule,
                    new Reopened(rows, 1),
                    (before, one) -> new Reopened(before.rows() + rows, before.revision() + 1)));
    long older = olderRows;
    while (sum.size() > MAX_GRANULES) {
      Reopened oldest = sum.remove(sum.firstKey());
      older += oldest == null ? 0 : oldest.rows();
    }
    return new ReopenedGranules(sum, older);
  }

  /** These and the rows of others; each of their commits is a revision of its own. */
  public ReopenedGranules plus(ForeignRows foreign) {
    ReopenedGranules sum = this;
    for (GranuleCounts append : foreign.appends()) {
      sum = sum.plus(append);
    }
    return sum;
  }

  /** What is known of a granule; null if it was not reopened, or is older than those kept. */
  public @Nullable Reopened of(long granuleStartMillis) {
    return granules.get(granuleStartMillis);
  }

  /** Whether this granule is older than all that are kept, and rows of such granules exist. */
  public boolean mayHide(long granuleStartMillis) {
    return olderRows > 0 && !granules.isEmpty() && granuleStartMillis < granules.firstKey();
  }

  /** Comma-separated {@code start:rows:revision}; see {@link SecondsList} for the starts. */
  public String toText() {
    List<SecondsList.Item> items = new ArrayList<>();
    granules.forEach(
        (start, r) -> items.add(new SecondsList.Item(start, r.rows() + ":" + r.revision())));
    return SecondsList.write(items, olderRows);
  }

  /**
   * Reads {@link #toText}.
   *
   * @throws IllegalArgumentException if it is not such a text
   */
  public static ReopenedGranules fromText(String text) {
    SecondsList list = SecondsList.read(text);
    SortedMap<Long, Reopened> granules = new TreeMap<>();
    for (SecondsList.Item item : list.items()) {
      String[] numbers = item.value().split(":", -1);
      if (numbers.length != 2) {
        throw SecondsList.invalid(text);
      }
      granules.put(
          item.startMillis(),
          new Reopened(
              SecondsList.number(text, numbers[0]), (int) SecondsList.number(text, numbers[1])));
    }
    return new ReopenedGranules(granules, list.older());
  }
}

package dev.tidemark.finalization.coverage;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A source's word that every event before a time lies below these end offsets: a heartbeat row was
 * read, and the end offsets were sampled after that. The time already allows for the longest
 * transaction.
 *
 * @param promisedMillis exclusive: every event before it is covered
 * @param endOffsets per expected partition, exclusive
 */
public record Vouch(long promisedMillis, SortedMap<String, Long> endOffsets) {
  public Vouch {
    endOffsets = Collections.unmodifiableSortedMap(new TreeMap<>(endOffsets));
  }

  /** A promise under which each partition must be read up to an end offset. */
  public static Vouch of(long promisedMillis, Map<String, Long> endOffsets) {
    return new Vouch(promisedMillis, new TreeMap<>(endOffsets));
  }
}

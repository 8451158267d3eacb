package dev.tidemark.finalization.coverage;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Joins the reports of all readers of a source: a promise holds for a partition as soon as the
 * partition was read up to the end offset sampled after the promise was seen. Kept in memory only;
 * after a restart the next heartbeat makes the next promise. Not thread-safe.
 */
public final class PromiseTracker {
  private static final int MAX_PENDING = 64;

  private final Deque<Vouch> pending = new ArrayDeque<>();
  private final SortedMap<String, Long> promised = new TreeMap<>();
  private Coverage known = Coverage.of(new TreeMap<>());

  /**
   * Takes the reports that belong to one checkpoint, in any order.
   *
   * @return everything known of every expected partition, with the promises reached
   */
  public Coverage accept(List<SourceReport> reports) {
    List<Coverage> coverages = new ArrayList<>();
    coverages.add(known);
    for (SourceReport report : reports) {
      coverages.add(report.coverage());
      report.vouches().forEach(vouch -> coverages.add(namedBy(vouch)));
    }
    known = Coverage.merge(coverages);
    reports.stream()
        .flatMap(report -> report.vouches().stream())
        .sorted(Comparator.comparingLong(Vouch::promisedMillis))
        .forEach(pending::addLast);
    settle();
    if (pending.size() > MAX_PENDING) {
      thin();
    }
    SortedMap<String, PartitionProgress> result = new TreeMap<>();
    known.partitions().forEach((name, p) -> result.put(name, withPromise(name, p)));
    return Coverage.of(result);
  }

  /** A partition that a promise names is expected, even before any reader has reported it. */
  private static Coverage namedBy(Vouch vouch) {
    SortedMap<String, PartitionProgress> named = new TreeMap<>();
    vouch.endOffsets().keySet().forEach(name -> named.put(name, PartitionProgress.UNKNOWN));
    return Coverage.of(named);
  }

  private PartitionProgress withPromise(String name, PartitionProgress progress) {
    Long fromHeartbeat = promised.get(name);
    Long own = progress.promisedMillis();
    if (fromHeartbeat == null || (own != null && own >= fromHeartbeat)) {
      return progress;
    }
    return progress.promising(fromHeartbeat);
  }

  /**
   * Drops every other promise, so that a laggard still finds some near and some far ahead of it.
   */
  private void thin() {
    boolean keep = true;
    for (Iterator<Vouch> vouches = pending.iterator(); vouches.hasNext(); keep = !keep) {
      vouches.next();
      if (!keep) {
        vouches.remove();
      }
    }
  }

  private void settle() {
    for (Iterator<Vouch> vouches = pending.iterator(); vouches.hasNext(); ) {
      Vouch vouch = vouches.next();
      boolean all = true;
      for (var entry : vouch.endOffsets().entrySet()) {
        PartitionProgress progress = known.partition(entry.getKey());
        Long next = progress == null ? null : progress.nextOffset();
        boolean reached = entry.getValue() == 0 || (next != null && next >= entry.getValue());
        if (reached) {
          promised.merge(entry.getKey(), vouch.promisedMillis(), Math::max);
        }
        all &= reached;
      }
      if (all) {
        vouches.remove();
      }
    }
  }
}

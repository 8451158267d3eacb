package dev.tidemark.pinot;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the newest finished commits of a table from the names of its segments and the custom maps
 * of a few. Names that differ in their last number alone are one series, whose newest segment has
 * the greatest number; each segment of ours names its carrier. What was read once is remembered,
 * since a finished commit never changes. Used by one thread.
 */
public final class CommitSearch {
  /** Reading all segments at once is cheaper than reading so many one by one. */
  private static final int MOST_SINGLE_READS = 32;

  private static final Pattern SERIES = Pattern.compile("^(.*?)(\\d{1,18})(\\D*)$");
  private static final Pattern CONSUMED = Pattern.compile("^.+__\\d+__\\d+__[^_]+$");

  private final PinotTable table;
  private final ControllerClient controller;
  private final Map<String, Optional<String>> carrierOf = new HashMap<>();
  private final Map<String, RecentCommit> commits = new HashMap<>();

  /** A search in one table that has read nothing yet. */
  public CommitSearch(PinotTable table, ControllerClient controller) {
    this.table = table;
    this.controller = controller;
  }

  private record Numbered(String name, long number) {}

  /**
   * The newest finished commit of each series that no run has withdrawn, newest first.
   *
   * @param visible names of the segments that readers see
   */
  public List<RecentCommit> newestFirst(Collection<String> visible) {
    return newestFirst(visible, Withdrawals.NONE);
  }

  /** The same where it is known already what is withdrawn besides. */
  List<RecentCommit> newestFirst(Collection<String> visible, Withdrawals known) {
    Set<String> names = new HashSet<>(visible);
    carrierOf.keySet().retainAll(names);
    commits.keySet().retainAll(names);
    Reads reads = new Reads();
    Collection<List<Numbered>> series = series(names).values();
    Withdrawals withdrawals = known;
    while (true) {
      Map<String, RecentCommit> found = new LinkedHashMap<>();
      for (List<Numbered> one : series) {
        RecentCommit newest = newestOf(one, names, withdrawals, reads);
        if (newest != null) {
          found.put(newest.id(), newest);
        }
      }
      Withdrawals more = withdrawals.with(runs(found.values()));
      if (more.equals(withdrawals)) {
        List<RecentCommit> sorted = new ArrayList<>(found.values());
        sorted.sort(Comparator.comparingLong(RecentCommit::timestampMillis).reversed());
        return sorted;
      }
      withdrawals = more;
    }
  }

  private static List<CommitRecord.RunRef> runs(Collection<RecentCommit> commits) {
    return commits.stream()
        .flatMap(commit -> CommitRecord.read(commit.properties()).stream())
        .map(CommitRecord::run)
        .toList();
  }

  /**
   * Remembers a commit that was just published, so that it need not be read.
   *
   * @param segments names of its own segments
   * @param carrier one of them
   * @param carried what the carrier bears
   */
  public void published(Collection<String> segments, String carrier, Map<String, String> carried) {
    segments.forEach(name -> carrierOf.put(name, Optional.of(carrier)));
    CommitRecord.read(carried)
        .ifPresent(
            record ->
                commits.put(carrier, new RecentCommit(carrier, record.timeMillis(), carried)));
  }

  /** A finished commit by its carrier; empty if it is not there, or not finished. */
  public Optional<RecentCommit> commit(String carrier) {
    RecentCommit known = commits.get(carrier);
    if (known == null) {
      controller.segment(table, carrier).ifPresent(this::remember);
      known = commits.get(carrier);
    }
    return Optional.ofNullable(known);
  }

  private @Nullable RecentCommit newestOf(
      List<Numbered> series, Set<String> visible, Withdrawals withdrawals, Reads reads) {
    for (Numbered segment : series) {
      Optional<String> carrier = carrierOf(segment.name(), reads);
      if (carrier.isEmpty()) {
        return null;
      }
      if (visible.contains(carrier.get())) {
        RecentCommit commit = commits.get(carrier.get());
        if (commit == null) {
          reads.read(carrier.get());
          commit = commits.get(carrier.get());
        }
        if (commit != null && !isWithdrawn(commit, withdrawals)) {
          return commit;
        }
      }
    }
    return null;
  }

  private static boolean isWithdrawn(RecentCommit commit, Withdrawals withdrawals) {
    return CommitRecord.read(commit.properties()).filter(withdrawals::isWithdrawn).isPresent();
  }

  private Optional<String> carrierOf(String name, Reads reads) {
    if (!carrierOf.containsKey(name)) {
      reads.read(name);
    }
    return carrierOf.getOrDefault(name, Optional.empty());
  }

  /** Segments that Pinot consumes are no commits of ours. */
  private static Map<String, List<Numbered>> series(Set<String> names) {
    Map<String, List<Numbered>> series = new LinkedHashMap<>();
    for (String name : names) {
      Matcher matcher = SERIES.matcher(name);
      if (!CONSUMED.matcher(name).matches() && matcher.matches()) {
        series
            .computeIfAbsent(matcher.group(1) + '#' + matcher.group(3), k -> new ArrayList<>())
            .add(new Numbered(name, Long.parseLong(matcher.group(2))));
      }
    }
    series.values().forEach(s -> s.sort(Comparator.comparingLong(Numbered::number).reversed()));
    return series;
  }

  private void remember(SegmentInfo info) {
    Map<String, String> map = info.customMap();
    carrierOf.put(info.name(), Optional.ofNullable(map.get(PinotProperties.CARRIER)));
    CommitRecord.read(map)
        .filter(record -> info.name().equals(record.carrier()))
        .ifPresent(
            record ->
                commits.put(info.name(), new RecentCommit(info.name(), record.timeMillis(), map)));
  }

  /** The reads of one search: one by one at first, then everything. */
  private final class Reads {
    private int single;
    private boolean all;

    void read(String name) {
      if (all) {
        return;
      }
      if (single++ < MOST_SINGLE_READS) {
        controller.segment(table, name).ifPresent(CommitSearch.this::remember);
      } else {
        controller.allSegments(table).values().forEach(CommitSearch.this::remember);
        all = true;
      }
    }
  }
}

package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import dev.tidemark.pinot.controller.QueryResult;
import dev.tidemark.pinot.segment.StagedSegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Waits until segments are served: by all replicas, and by every broker. */
final class Served {
  private static final int SEGMENTS_PER_QUERY = 100;
  private static final Set<String> FAILED = Set.of("ERROR");

  private final PinotTable table;
  private final ControllerClient controller;
  private final Patience patience;
  private final Duration timeout;

  Served(PinotTable table, ControllerClient controller, Patience patience, Duration timeout) {
    this.table = table;
    this.controller = controller;
    this.patience = patience;
    this.timeout = timeout;
  }

  /**
   * Waits until the external view of each segment is its ideal state.
   *
   * @throws PublishFailedException if it is not within the timeout, or a server cannot load it
   */
  void awaitReplicas(Set<String> names) {
    List<String> missing = new ArrayList<>(names);
    Seen seen = new Seen();
    boolean served =
        isSoInTime(
            () -> {
              missing.removeAll(online(missing, seen));
              return missing.isEmpty();
            });
    if (!served) {
      throw new PublishFailedException(
          "Cannot publish to "
              + table
              + ": after "
              + timeout
              + " for all of the commit "
              + missing.size()
              + " of "
              + names.size()
              + " segments are not served by all replicas, such as "
              + seen.segment
              + " with "
              + seen.actual
              + " (expected: "
              + seen.wanted
              + "; see the logs of the servers that are missing)");
    }
  }

  /** Waits until every broker that serves the table counts all rows of these segments. */
  void awaitBrokers(List<StagedSegment> segments) {
    List<String> brokers = controller.brokers(table);
    if (brokers.isEmpty()) {
      throw new PublishFailedException(
          "Cannot see whether "
              + table
              + " is visible: no broker serves it (expected: at least one online)");
    }
    for (String broker : brokers) {
      for (int from = 0; from < segments.size(); from += SEGMENTS_PER_QUERY) {
        int to = Math.min(segments.size(), from + SEGMENTS_PER_QUERY);
        awaitBroker(broker, segments.subList(from, to));
      }
    }
  }

  /** Waits until no broker that serves the table counts a row of these segments. */
  void awaitGone(Set<String> names) {
    List<String> all = List.copyOf(names);
    for (String broker : controller.brokers(table)) {
      for (int from = 0; from < all.size(); from += SEGMENTS_PER_QUERY) {
        int to = Math.min(all.size(), from + SEGMENTS_PER_QUERY);
        awaitCount(broker, all.subList(from, to), 0);
      }
    }
  }

  private void awaitBroker(String broker, List<StagedSegment> segments) {
    awaitCount(
        broker,
        segments.stream().map(StagedSegment::name).toList(),
        segments.stream().mapToLong(StagedSegment::rows).sum());
  }

  private void awaitCount(String broker, List<String> segments, long expected) {
    String sql =
        "SET skipUpsert = true; SELECT COUNT(*) FROM "
            + Sql.name(table.nameWithType())
            + " WHERE "
            + Sql.segmentIn(segments);
    long[] seen = {-1};
    boolean visible =
        isSoInTime(
            () -> {
              seen[0] = count(broker, sql);
              return seen[0] == expected;
            });
    if (!visible) {
      throw new PublishFailedException(
          "Cannot see the rows of "
              + segments.size()
              + " segments of "
              + table
              + " at "
              + broker
              + " after "
              + timeout
              + " for all of the commit: it counts "
              + seen[0]
              + " (expected: "
              + expected
              + "; see the broker's log, and the setting for the URLs of brokers)");
    }
  }

  /** Looks until something is so; false also where the time was up in the middle of a look. */
  private boolean isSoInTime(BooleanSupplier isSo) {
    try {
      return patience.until(timeout, isSo);
    } catch (PinotUnavailableException e) {
      if (patience.isOver()) {
        return false;
      }
      throw e;
    }
  }

  /** A segment that was missed at the last look, and where it was, for the message. */
  private static final class Seen {
    private String segment = "";
    private Map<String, String> wanted = Map.of();
    private Map<String, String> actual = Map.of();
  }

  /** A broker that has not heard of the table yet answers with an exception: nothing is seen. */
  private long count(String broker, String sql) {
    try {
      QueryResult result = controller.query(broker, sql);
      return result.rows().isEmpty() ? 0 : result.rows().get(0).get(0).asLong();
    } catch (PinotUnavailableException e) {
      if (e.getCause() != null) {
        throw e;
      }
      return 0;
    }
  }

  private List<String> online(List<String> names, Seen seen) {
    Map<String, Map<String, String>> ideal = controller.idealState(table, names);
    Map<String, Map<String, String>> view = controller.externalView(table, names);
    List<String> online = new ArrayList<>();
    for (String name : names) {
      Map<String, String> wanted = ideal.getOrDefault(name, Map.of());
      Map<String, String> actual = view.getOrDefault(name, Map.of());
      if (actual.values().stream().anyMatch(FAILED::contains)) {
        throw new PublishFailedException(
            "Cannot publish segment "
                + name
                + " to "
                + table
                + ": a server cannot load it: "
                + actual
                + " (expected: "
                + wanted
                + "; see that server's log)");
      }
      if (!wanted.isEmpty() && wanted.equals(actual)) {
        online.add(name);
      } else {
        seen.segment = name;
        seen.wanted = wanted;
        seen.actual = actual;
      }
    }
    return online;
  }
}

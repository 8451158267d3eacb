package dev.tidemark.quickstart.pinot;

import dev.tidemark.quickstart.flights.FlightChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an upsert table must hold after a backfill and a stream.
 *
 * @param rows what a query for the columns brings, by key
 * @param ties keys whose newest row came from both sides at one time
 * @param deleted keys whose newest change is a deletion
 */
record ExpectedChanges(SortedMap<Integer, Object> rows, long ties, long deleted) {

  private record Newest(FlightChange change, boolean streamed, boolean tie) {}

  /** The newest change of a key counts; of two at one time the streamed one. */
  static ExpectedChanges of(List<FlightChange> backfilled, List<FlightChange> streamed) {
    Map<Integer, Newest> newest = new HashMap<>();
    for (FlightChange change : backfilled) {
      newest.merge(change.flight().id(), new Newest(change, false, false), ExpectedChanges::later);
    }
    for (FlightChange change : streamed) {
      newest.merge(change.flight().id(), new Newest(change, true, false), ExpectedChanges::later);
    }
    SortedMap<Integer, Object> rows = new TreeMap<>();
    newest.forEach(
        (id, last) -> {
          if (last.change().kind() != FlightChange.Kind.DELETE) {
            rows.put(id, values(last));
          }
        });
    return new ExpectedChanges(
        rows, newest.values().stream().filter(Newest::tie).count(), newest.size() - rows.size());
  }

  private static Newest later(Newest before, Newest next) {
    int order = next.change().at().compareTo(before.change().at());
    boolean tie = order == 0 && next.streamed() && !before.streamed();
    return order < 0 ? before : new Newest(next.change(), next.streamed(), tie);
  }

  private static Object values(Newest last) {
    List<Object> values = new ArrayList<>();
    values.addAll(FlightColumns.values(last.change().flight()));
    values.add(ChangeColumns.changedAtMillis(last.change()));
    values.add(last.streamed() ? "stream" : "backfill");
    return values;
  }
}

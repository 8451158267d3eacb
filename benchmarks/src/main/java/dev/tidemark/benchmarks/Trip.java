package dev.tidemark.benchmarks;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.RecordRole;
import java.util.Arrays;

/**
 * A small record as a writer gets it, with the extractors that a sink might be given for it.
 *
 * @param departureMicros the event time; without meaning if {@code hasDeparture} is false
 * @param kind {@code c}, {@code u}, {@code d} for a change of the stream, {@code r} for a snapshot
 */
record Trip(long departureMicros, boolean hasDeparture, char kind, int distance) {

  static Trip[] allAt(long[] departuresMillis) {
    return Arrays.stream(departuresMillis).mapToObj(Trip::at).toArray(Trip[]::new);
  }

  private static Trip at(long departureMillis) {
    return new Trip(departureMillis * 1_000, true, 'c', (int) (departureMillis & 0x3FF));
  }

  /** Reads a column that may be null, as most columns may. */
  static final class NullableColumn implements EventTimeExtractor<Trip> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean hasEventTime(Trip trip) {
      return trip.hasDeparture;
    }

    @Override
    public long eventTimeMillis(Trip trip) {
      return Math.floorDiv(trip.departureMicros, 1_000L);
    }
  }

  /** Reads a column that may be null, and the role of a change record. */
  static final class ChangeRecord implements EventTimeExtractor<Trip> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean hasEventTime(Trip trip) {
      return trip.hasDeparture;
    }

    @Override
    public long eventTimeMillis(Trip trip) {
      return Math.floorDiv(trip.departureMicros, 1_000L);
    }

    @Override
    public RecordRole role(Trip trip) {
      return trip.kind == 'r' ? RecordRole.SNAPSHOT : RecordRole.STREAM;
    }
  }
}

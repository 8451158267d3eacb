package dev.tidemark.quickstart.flights;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What happens to the flights table, in order: every flight lands; some are corrected or deleted
 * shortly after, a few many hours after. The same every time.
 */
public final class FlightChanges {
  private static final int CORRECTED_SOON = 50;
  private static final int DELETED_SOON = 200;
  private static final int CORRECTED_LATE = 1_500;
  private static final int DELETED_LATE = 3_000;

  private FlightChanges() {}

  /** The changes of these flights, in the order in which they happen. */
  public static List<FlightChange> of(List<Flight> flights) {
    List<FlightChange> changes = new ArrayList<>();
    for (Flight flight : flights) {
      LocalDateTime landing = flight.landing();
      changes.add(new FlightChange(landing, FlightChange.Kind.INSERT, flight));
      if (flight.id() % CORRECTED_LATE == 3) {
        changes.add(correction(flight, Duration.ofHours(14)));
      } else if (flight.id() % DELETED_LATE == 11) {
        changes.add(deletion(flight, Duration.ofHours(17)));
      } else if (flight.id() % CORRECTED_SOON == 1) {
        changes.add(correction(flight, Duration.ofMinutes(7)));
      } else if (flight.id() % DELETED_SOON == 2) {
        changes.add(deletion(flight, Duration.ofMinutes(12)));
      }
    }
    changes.sort(
        Comparator.comparing(FlightChange::at)
            .thenComparing(change -> change.flight().departure())
            .thenComparingInt(change -> change.flight().id()));
    return changes;
  }

  private static FlightChange correction(Flight flight, Duration after) {
    return new FlightChange(
        flight.landing().plus(after),
        FlightChange.Kind.CORRECT,
        flight.withDelay(flight.delayMinutes() + 1));
  }

  private static FlightChange deletion(Flight flight, Duration after) {
    return new FlightChange(flight.landing().plus(after), FlightChange.Kind.DELETE, flight);
  }
}

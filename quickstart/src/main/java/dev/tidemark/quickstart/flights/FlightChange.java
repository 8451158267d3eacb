package dev.tidemark.quickstart.flights;

import java.time.LocalDateTime;

/**
 * One change of the flights table.
 *
 * @param at when it happens, on the clock of the flights
 * @param kind what happens
 * @param flight the row after it; for a deletion the row before it
 */
public record FlightChange(LocalDateTime at, Kind kind, Flight flight) {
  public enum Kind {
    INSERT,
    CORRECT,
    DELETE
  }
}

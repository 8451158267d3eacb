package dev.tidemark.quickstart.flights;

import java.time.LocalDateTime;

/**
 * One flight.
 *
 * @param id its number in the file, from 1
 * @param departure scheduled departure, local time read as UTC: the event time
 * @param delayMinutes how late it left; negative if early
 * @param distanceMiles how far it flew
 * @param origin airport
 * @param destination airport
 */
public record Flight(
    int id,
    LocalDateTime departure,
    int delayMinutes,
    int distanceMiles,
    String origin,
    String destination) {

  /** When the row lands in the database: the departure and the delay. */
  public LocalDateTime landing() {
    return departure.plusMinutes(delayMinutes);
  }

  public Flight withDelay(int minutes) {
    return new Flight(id, departure, minutes, distanceMiles, origin, destination);
  }
}

package dev.tidemark.finalization.testing;

import dev.tidemark.finalization.eventtime.EventTimeAccumulator;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.Granularity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** 33,363 real flights; see flights/ORIGIN.md. */
public final class Flights {
  private static final String RESOURCE = "/flights/flights-2001-01-10_11.csv.gz";
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");

  private static final long WINDOW = Duration.ofMinutes(5).toMillis();

  private Flights() {}

  /**
   * One flight.
   *
   * @param departureMillis scheduled departure, its local time read as UTC
   * @param landingMillis departure and delay: when a system sees the row
   * @param distanceMiles how far it goes
   */
  public record Flight(long departureMillis, long landingMillis, long distanceMiles) {}

  /** All flights in the order in which a system would see them: by landing, then departure. */
  public static List<Flight> byLanding() {
    try (InputStream raw = Objects.requireNonNull(Flights.class.getResourceAsStream(RESOURCE));
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(raw), StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .skip(1)
          .map(Flights::parse)
          .sorted(
              Comparator.comparingLong(Flight::landingMillis)
                  .thenComparingLong(Flight::departureMillis))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The flights that landed within five minutes: what one commit holds.
   *
   * @param endMillis the end of the five minutes, exclusive
   * @param flights by landing
   * @param facts of their departures, by UTC hours
   */
  public record Landed(long endMillis, List<Flight> flights, EventTimeFacts facts) {}

  /**
   * All flights, by the five minutes in which they landed; those without a landing are no commit.
   *
   * @param clock judges whether a departure is credible
   */
  public static List<Landed> landings(Clock clock) {
    EventTimeAccumulator<Flight> accumulator =
        new EventTimeAccumulator<>(
            Flight::departureMillis, Granularity.HOUR, EventTimeBounds.DEFAULT, clock);
    List<Landed> landings = new ArrayList<>();
    List<Flight> flights = new ArrayList<>();
    List<Flight> all = byLanding();
    long end = all.get(0).landingMillis() + WINDOW;
    for (Flight flight : all) {
      if (flight.landingMillis() >= end) {
        landings.add(new Landed(end, List.copyOf(flights), accumulator.snapshot()));
        accumulator.reset();
        flights.clear();
        while (flight.landingMillis() >= end) {
          end += WINDOW;
        }
      }
      flights.add(flight);
      accumulator.add(flight);
    }
    landings.add(new Landed(end, List.copyOf(flights), accumulator.snapshot()));
    return landings;
  }

  private static Flight parse(String line) {
    String[] columns = line.split(",", -1);
    long departure = LocalDateTime.parse(columns[0], TIME).toInstant(ZoneOffset.UTC).toEpochMilli();
    return new Flight(
        departure, departure + 60_000L * Long.parseLong(columns[1]), Long.parseLong(columns[2]));
  }
}

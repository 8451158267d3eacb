package dev.tidemark.cli.testing;

import dev.tidemark.finalization.testing.Flights;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** Real flights in a real table: each five minutes of landings as one commit, made now. */
public final class FlightTable {
  private FlightTable() {}

  /** Writes the first so many commits with the policy min over six of them. */
  public static void write(TestCatalog catalog, String name, int commits) {
    EventWriter writer =
        EventWriter.start(
            catalog.create(name),
            EventWriter.config("flights")
                .policy(FinalizationPolicy.MIN)
                .lookback(6, Duration.ZERO)
                .build());
    List<Flights.Landed> landings = Flights.landings(Clock.systemUTC());
    landings.stream()
        .limit(commits)
        .forEach(
            landed ->
                writer.write(
                    landed.flights().stream().map(Flights.Flight::departureMillis).toList()));
  }
}

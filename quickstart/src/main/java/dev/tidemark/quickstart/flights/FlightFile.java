package dev.tidemark.quickstart.flights;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The flights that ship with the program; {@code flights/ORIGIN.md} says where they come from. */
public final class FlightFile {
  private static final String RESOURCE = "/flights/flights-2001-01-10_11.csv.gz";
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");

  private FlightFile() {}

  public static List<Flight> read() {
    InputStream file = FlightFile.class.getResourceAsStream(RESOURCE);
    if (file == null) {
      throw new IllegalStateException("Missing " + RESOURCE + " on the class path");
    }
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(new GZIPInputStream(file), StandardCharsets.UTF_8))) {
      List<Flight> flights = new ArrayList<>();
      lines.readLine();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        flights.add(parse(flights.size() + 1, line));
      }
      return flights;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + RESOURCE, e);
    }
  }

  private static Flight parse(int id, String line) {
    String[] fields = line.split(",", -1);
    return new Flight(
        id,
        LocalDateTime.parse(fields[0], TIME),
        Integer.parseInt(fields[1]),
        Integer.parseInt(fields[2]),
        fields[3],
        fields[4]);
  }
}

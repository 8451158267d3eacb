package dev.tidemark.quickstart.pinot;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pinot.commit.ReplacedSegments;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.flights.Flight;
import dev.tidemark.quickstart.flights.FlightChange;
import dev.tidemark.quickstart.flights.FlightChanges;
import dev.tidemark.quickstart.flights.FlightFile;
import dev.tidemark.quickstart.program.Arguments;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import dev.tidemark.quickstart.program.LocalFlink;
import dev.tidemark.quickstart.program.Programs;
import dev.tidemark.quickstart.program.Progress;
import dev.tidemark.quickstart.program.RowComparison;
import dev.tidemark.quickstart.program.RowComparison.Rows;
import dev.tidemark.quickstart.program.WorkDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Real flights go into an OFFLINE table of Pinot, a day at a time, each day one Flink job and one
 * commit that appears as one. A finished day that is started again changes nothing. Then the second
 * day comes again, corrected, and replaces what is there for it, while somebody asks the broker all
 * the time and sees the old day or the new one, never a mixture. At the end the table is compared
 * with the source row by row. Exits 0 only if all of this was so.
 *
 * <p>Options: {@code --controller URL}, a Pinot that runs already; else one is started.
 */
public final class OfflineBackfill {
  private static final int PARALLELISM = 2;
  private static final LocalDate FIRST_DAY = LocalDate.of(2001, 1, 10);
  private static final LocalDate SECOND_DAY = FIRST_DAY.plusDays(1);

  private final Progress progress;

  /**
   * What a run ended with.
   *
   * @param loaded the table beside the source after each day was loaded
   * @param repeated the same after a finished run was started again
   * @param replaced the same after a day was replaced
   * @param reader what was seen meanwhile
   * @param finality what the table says at the end
   * @param lines the summary
   */
  record Result(
      RowComparison loaded,
      RowComparison repeated,
      RowComparison replaced,
      ReplacementReader.Seen reader,
      TableFinality finality,
      List<String> lines) {
    boolean isGood() {
      return loaded.agrees()
          && repeated.agrees()
          && replaced.agrees()
          && reader.isAtomic()
          && Objects.equals(watermark(finality), millis(SECOND_DAY.plusDays(1)));
    }
  }

  /**
   * @param output gets each line of progress
   */
  OfflineBackfill(Consumer<String> output) {
    this.progress = new Progress(output);
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Programs.runAndExit(
        "offline-backfill",
        () -> {
          Arguments.parse(args, Set.of(Arguments.CONTROLLER)).useController();
          OfflineBackfill program = new OfflineBackfill(System.out::println);
          program.progress.say("starting Pinot");
          try (PinotCluster pinot = Pinots.start(program.progress::say)) {
            return program.run(pinot).isGood();
          }
        });
  }

  Result run(PinotCluster pinot) throws Exception {
    String name = ProgramTable.freeName("flights");
    Path work = WorkDirectory.create("offline-backfill");
    try (ProgramTable table =
        ProgramTable.create(
            pinot,
            new TableConfigBuilder(TableType.OFFLINE)
                .setTableName(name)
                .setTimeColumnName(FlightColumns.TIME)
                .build(),
            FlightColumns.schema(name))) {
      return run(table, work.resolve("staging").toUri().toString());
    } finally {
      WorkDirectory.delete(work);
    }
  }

  private Result run(ProgramTable table, String staging) throws Exception {
    List<Flight> flights = FlightFile.read();
    load(table, staging, "flights-10", on(FIRST_DAY, flights), ReplacedSegments.none());
    load(table, staging, "flights-11", on(SECOND_DAY, flights), ReplacedSegments.none());
    RowComparison loaded = compare(table, flights);
    progress.say("both days: " + loaded.verdict("the source"));

    load(table, staging, "flights-10", on(FIRST_DAY, flights), ReplacedSegments.none());
    RowComparison repeated = compare(table, flights);
    progress.say("the run of the first day, started again: " + repeated.verdict("the source"));

    List<Flight> corrected = corrected(flights);
    ReplacementReader.Seen seen;
    try (ReplacementReader reader = ReplacementReader.start(table, millis(SECOND_DAY))) {
      load(
          table,
          staging,
          "flights-11-corrected",
          on(SECOND_DAY, corrected),
          ReplacedSegments.within(
              SECOND_DAY.atStartOfDay().toInstant(ZoneOffset.UTC),
              SECOND_DAY.plusDays(1).atStartOfDay().toInstant(ZoneOffset.UTC)));
      seen = reader.stop();
    }
    RowComparison replaced = compare(table, corrected);
    return conclude(table, loaded, repeated, replaced, seen);
  }

  private void load(
      ProgramTable table,
      String staging,
      String run,
      List<Flight> flights,
      ReplacedSegments replaced)
      throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(PARALLELISM);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    PinotSinkBuilder<Flight> sink =
        table
            .sink(new FlightColumns.Converter())
            .staging(staging)
            .runId(run)
            .replaced(replaced)
            .eventTime(new FlightColumns.EventTime())
            .finalization(
                FinalizationConfig.forWriter("flights")
                    .lookback(1, Duration.ZERO)
                    .readFromBeginning()
                    .build())
            .inputIsComplete();
    env.fromData(flights).rebalance().sinkTo(sink.build());
    env.execute(run);
    progress.say(
        "run %s: %,d rows, table has %,d; %s"
            .formatted(
                run,
                flights.size(),
                table.number("SELECT COUNT(*) FROM %s"),
                describe(table.finality())));
  }

  private static RowComparison compare(ProgramTable table, List<Flight> source) {
    return RowComparison.of(
        new Rows<>("source", FlightColumns.values(source)),
        new Rows<>("Pinot", table.rows(FlightColumns.SELECTED, "")));
  }

  private Result conclude(
      ProgramTable table,
      RowComparison loaded,
      RowComparison repeated,
      RowComparison replaced,
      ReplacementReader.Seen seen) {
    TableFinality finality = table.finality();
    List<String> lines = new ArrayList<>();
    lines.add("table       after the replacement " + replaced.verdict("the source"));
    replaced.differences().forEach(difference -> lines.add("            " + difference));
    lines.add("readers     " + seen);
    lines.add("finality    " + describe(finality));
    lines.addAll(HoursOfTwoDays.lines(finality));
    progress.show(lines);
    Result result = new Result(loaded, repeated, replaced, seen, finality, lines);
    progress.say(result.isGood() ? "DONE: all rows agree" : "FAILED");
    return result;
  }

  /** The flights as they are after all that happened to them. */
  private static List<Flight> corrected(List<Flight> flights) {
    SortedMap<Integer, Flight> last = new TreeMap<>();
    flights.stream().filter(f -> !isOn(SECOND_DAY, f)).forEach(f -> last.put(f.id(), f));
    for (FlightChange change : FlightChanges.of(flights)) {
      Flight flight = change.flight();
      if (isOn(SECOND_DAY, flight)) {
        switch (change.kind()) {
          case INSERT, CORRECT -> last.put(flight.id(), flight);
          case DELETE -> last.remove(flight.id());
        }
      }
    }
    return new ArrayList<>(last.values());
  }

  private static List<Flight> on(LocalDate day, List<Flight> flights) {
    return flights.stream().filter(flight -> isOn(day, flight)).toList();
  }

  private static boolean isOn(LocalDate day, Flight flight) {
    return flight.departure().toLocalDate().equals(day);
  }

  private static long millis(LocalDate day) {
    return day.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  private static String describe(TableFinality finality) {
    Opinion opinion = finality.opinion();
    return opinion == null ? "no watermark" : "watermark " + opinion.watermark();
  }

  private static @Nullable Long watermark(TableFinality finality) {
    Opinion opinion = finality.opinion();
    return opinion == null ? null : opinion.watermarkMillis();
  }
}

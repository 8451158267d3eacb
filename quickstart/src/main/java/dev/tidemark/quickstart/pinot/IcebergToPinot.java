package dev.tidemark.quickstart.pinot;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.pinot.commit.OpinionSource;
import dev.tidemark.pinot.row.RowDataGenericRowConverter;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.program.Arguments;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import dev.tidemark.quickstart.program.LocalFlink;
import dev.tidemark.quickstart.program.Programs;
import dev.tidemark.quickstart.program.Progress;
import dev.tidemark.quickstart.program.RowComparison;
import dev.tidemark.quickstart.program.RowComparison.Rows;
import dev.tidemark.quickstart.program.SideBySide;
import dev.tidemark.quickstart.program.WorkDirectory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.flink.source.IcebergSource;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/**
 * A Flink job writes the flights into an Iceberg table with a watermark, in the order in which they
 * landed. Another one fills a Pinot table from it, up to the watermark and no further, and carries
 * the opinion over: what is final there is final here, and both give the same answers. At the end
 * Pinot is compared with Iceberg row by row. Exits 0 only if rows, watermarks and answers agree.
 *
 * <p>Options: {@code --controller URL}, a Pinot that runs already; else one is started.
 */
public final class IcebergToPinot {
  private static final int PARALLELISM = 2;

  private final Progress progress;

  /**
   * What a run ended with.
   *
   * @param rows Pinot beside Iceberg below the watermark
   * @param beyond rows of Iceberg that were left out, since they are not final
   * @param iceberg what Iceberg says
   * @param pinot what Pinot says
   * @param lines the summary
   */
  record Result(
      RowComparison rows,
      long beyond,
      TableFinality iceberg,
      TableFinality pinot,
      List<String> lines) {
    boolean isGood() {
      return rows.agrees()
          && Objects.equals(opinion(iceberg).watermark(), opinion(pinot).watermark())
          && HoursOfTwoDays.letters(iceberg).equals(HoursOfTwoDays.letters(pinot));
    }
  }

  /**
   * @param output gets each line of progress
   */
  IcebergToPinot(Consumer<String> output) {
    this.progress = new Progress(output);
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Programs.runAndExit(
        "iceberg-to-pinot",
        () -> {
          Arguments.parse(args, Set.of(Arguments.CONTROLLER)).useController();
          return new IcebergToPinot(System.out::println).startAndRun();
        });
  }

  private boolean startAndRun() throws Exception {
    progress.say("starting Pinot, and writing flights into Iceberg meanwhile");
    Path work = WorkDirectory.create("iceberg-to-pinot");
    try (SideBySide<PinotCluster, FlightsInIceberg> parts =
        SideBySide.start(() -> Pinots.start(progress::say), () -> FlightsInIceberg.written(work))) {
      return run(parts.first(), parts.second(), work).isGood();
    } finally {
      WorkDirectory.delete(work);
    }
  }

  Result run(PinotCluster pinot, FlightsInIceberg flights, Path work) throws Exception {
    TableFinality finality = IcebergFinality.of(flights.table()).read();
    progress.say(
        "Iceberg has the flights in %d commits, final: %s"
            .formatted(flights.table().history().size(), opinion(finality).watermark()));
    String name = ProgramTable.freeName("final_flights");
    try (ProgramTable table =
        ProgramTable.create(
            pinot,
            new TableConfigBuilder(TableType.OFFLINE)
                .setTableName(name)
                .setTimeColumnName(FlightColumns.TIME)
                .build(),
            FlightColumns.schema(name))) {
      copy(flights, finality, table, work.resolve("staging").toUri().toString());
      return conclude(flights, finality, table);
    }
  }

  /** Reads the snapshot that the opinion is of, so that rows and opinion belong together. */
  private static void copy(
      FlightsInIceberg flights, TableFinality finality, ProgramTable table, String staging)
      throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(PARALLELISM);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    long watermark = watermark(finality);
    IcebergSource<RowData> source =
        IcebergSource.forRowData()
            .tableLoader(flights.loader())
            .useSnapshotId(snapshot(finality))
            .filters(List.of(isFinal(watermark)))
            .build();
    env.fromSource(
            source,
            WatermarkStrategy.noWatermarks(),
            "final flights",
            InternalTypeInfo.of(FlightsInIceberg.ROW_TYPE))
        // The source leaves out files and groups of rows; this leaves out rows.
        .filter(row -> row.getTimestamp(1, 6).getMillisecond() < watermark)
        .sinkTo(
            table
                .sink(new RowDataGenericRowConverter(FlightsInIceberg.ROW_TYPE))
                .staging(staging)
                .finalization(FinalizationConfig.forWriter("iceberg-to-pinot").build())
                .opinionSource(OpinionSource.atEndOfInput(opinion(finality)))
                .build());
    env.execute("Iceberg to Pinot");
  }

  private Result conclude(FlightsInIceberg flights, TableFinality iceberg, ProgramTable table)
      throws Exception {
    long watermark = watermark(iceberg);
    TableFinality pinot = table.finality();
    RowComparison rows =
        RowComparison.of(
            new Rows<>("Iceberg", flights.rows(snapshot(iceberg), isFinal(watermark))),
            new Rows<>("Pinot", table.rows(FlightColumns.SELECTED, "")));
    long beyond = flights.rows(snapshot(iceberg), Expressions.not(isFinal(watermark))).size();
    List<String> lines = new ArrayList<>();
    lines.add("table       up to the watermark " + rows.verdict("Iceberg"));
    rows.differences().forEach(difference -> lines.add("            " + difference));
    lines.add("left out    %,d rows that are not final yet".formatted(beyond));
    lines.add("Iceberg     " + opinion(iceberg).watermark());
    lines.addAll(HoursOfTwoDays.lines(iceberg));
    lines.add("Pinot       " + opinion(pinot).watermark());
    lines.addAll(HoursOfTwoDays.lines(pinot));
    progress.show(lines);
    Result result = new Result(rows, beyond, iceberg, pinot, lines);
    progress.say(
        result.isGood() ? "DONE: rows, watermarks and answers agree" : "FAILED: they differ");
    return result;
  }

  private static Expression isFinal(long watermark) {
    return Expressions.lessThan(FlightColumns.TIME, Instant.ofEpochMilli(watermark).toString());
  }

  private static Opinion opinion(TableFinality finality) {
    return Objects.requireNonNull(finality.opinion(), "the table carries no opinion");
  }

  private static long watermark(TableFinality finality) {
    return Objects.requireNonNull(opinion(finality).watermarkMillis(), "nothing is final yet");
  }

  private static long snapshot(TableFinality finality) {
    return Long.parseLong(Objects.requireNonNull(finality.snapshotId()));
  }
}

package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.pipeline.kafka.ChangeTopics;
import dev.tidemark.quickstart.embedded.EmbeddedDebezium;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedParts;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.flights.FlightChanges;
import dev.tidemark.quickstart.flights.FlightFile;
import dev.tidemark.quickstart.pinot.FlightColumns;
import dev.tidemark.quickstart.pinot.Pinots;
import dev.tidemark.quickstart.pinot.ProgramTable;
import dev.tidemark.quickstart.program.Arguments;
import dev.tidemark.quickstart.program.HoursOfTwoDays;
import dev.tidemark.quickstart.program.Programs;
import dev.tidemark.quickstart.program.Progress;
import dev.tidemark.quickstart.program.RowComparison;
import dev.tidemark.quickstart.program.RowComparison.Rows;
import dev.tidemark.quickstart.program.SideBySide;
import dev.tidemark.quickstart.program.Waiting;
import dev.tidemark.quickstart.program.WorkDirectory;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.core.execution.JobClient;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The main job with two sinks: real flights land in MariaDB, Debezium reads its binlog into Kafka,
 * and one Flink job writes the ledger into Iceberg and the last state of each flight into an upsert
 * table of Pinot. For every checkpoint that both have committed their facts agree, and at the end
 * both say the same of the same hours. The folded ledger and the Pinot table are each compared with
 * MariaDB row by row, deletions and changed primary keys too. Exits 0 only if all agree.
 *
 * <p>Options: {@code --seconds N}, how long the two days of landings take, 40 by default; {@code
 * --controller URL}, a Pinot that runs already and reaches 127.0.0.1 where this program runs; else
 * one is started.
 */
public final class BothSinks {
  private static final Duration CHECKPOINTS = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Duration pace;
  private final Progress progress;

  /**
   * What a run ended with.
   *
   * @param ledger the folded ledger beside MariaDB
   * @param current the Pinot table beside MariaDB
   * @param facts Pinot's commits beside Iceberg's
   * @param renumbered the new id of each row whose primary key was changed, by the old one
   * @param currentIds the keys in Pinot
   * @param iceberg what Iceberg says
   * @param pinot what Pinot says
   * @param lines the summary
   */
  record Result(
      LedgerCheck ledger,
      RowComparison current,
      FactsComparison facts,
      Map<Integer, Integer> renumbered,
      Set<Integer> currentIds,
      TableFinality iceberg,
      TableFinality pinot,
      List<String> lines) {
    boolean isGood() {
      return ledger.rows().agrees()
          && current.agrees()
          && facts.agrees()
          && facts.commits() > 0
          && currentIds.containsAll(renumbered.values())
          && renumbered.keySet().stream().noneMatch(currentIds::contains)
          && saySame(iceberg, pinot);
    }
  }

  /**
   * @param pace how long the two days of landings take
   * @param output gets each line of progress
   */
  BothSinks(Duration pace, Consumer<String> output) {
    this.pace = pace;
    this.progress = new Progress(output);
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Programs.runAndExit(
        "both-sinks",
        () -> {
          Arguments arguments =
              Arguments.parse(args, Set.of(Arguments.SECONDS, Arguments.CONTROLLER));
          arguments.useController();
          Duration pace = Duration.ofSeconds(arguments.seconds(40));
          return new BothSinks(pace, System.out::println).startAndRun();
        });
  }

  private boolean startAndRun() throws Exception {
    progress.say("starting Pinot, MariaDB and Kafka (the first run unpacks 216 MB of MariaDB)");
    try (SideBySide<PinotCluster, EmbeddedParts> parts =
        SideBySide.start(
            () -> Pinots.start(progress::say), () -> EmbeddedParts.start(progress::say))) {
      return run(parts.first(), parts.second()).isGood();
    }
  }

  Result run(PinotCluster pinot, EmbeddedParts parts) throws Exception {
    String name = ProgramTable.freeName("current_flights");
    parts.kafka().createTopic(MainJob.TOPIC, MainJob.PARTITIONS);
    parts.kafka().createTopic(name, MainJob.PARTITIONS);
    Path work = WorkDirectory.create("both-sinks");
    try (EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(work);
        Connection connection = parts.mariaDb().connect("");
        ProgramTable current =
            ProgramTable.create(
                pinot,
                CurrentFlights.config(name, pinot, parts.kafka().bootstrapServers(), name),
                CurrentFlights.schema(name))) {
      return run(parts, catalog, new FlightDatabase(connection), current, work);
    } finally {
      WorkDirectory.delete(work);
    }
  }

  private Result run(
      EmbeddedParts parts,
      EmbeddedIcebergCatalog catalog,
      FlightDatabase database,
      ProgramTable current,
      Path work)
      throws Exception {
    database.createTable();
    Table ledger =
        catalog.create(
            LedgerJob.TABLE,
            LedgerJob.LEDGER.schema(),
            LedgerJob.LEDGER.partitionSpec(MainJob.BUCKETS));
    EmbeddedDebezium debezium =
        parts.closing(
            parts
                .debezium()
                .tables(FlightDatabase.TABLE.toString())
                .topicPrefix(MainJob.TOPIC_PREFIX)
                .partitions(MainJob.PARTITIONS)
                .stateDirectory(work.resolve("debezium"))
                .start());
    CommittedFacts icebergFacts = new CommittedFacts((checkpoint, facts) -> {});
    CommittedFacts pinotFacts =
        new CommittedFacts(
            (checkpoint, facts) ->
                progress.say(
                    "    Pinot  %,6d rows up to checkpoint %d"
                        .formatted(facts.times().count(), checkpoint)));
    BothSinksJob both =
        new BothSinksJob(
            new LedgerJob(
                ChangeTopics.of(parts.kafka().bootstrapServers(), MainJob.TOPIC), CHECKPOINTS),
            icebergFacts,
            pinotFacts,
            work.resolve("staging").toUri().toString());
    JobClient job = both.start(catalog.loader(LedgerJob.TABLE), current);
    try {
      debezium.awaitStreaming(PATIENCE);
      progress.say("one Flink job fills Iceberg and Pinot; times are day and hour of 2001-01");
      Map<Integer, Integer> renumbered =
          land(database, new LedgerWatch(ledger, progress::say), job);
      progress.say("all changes are in Iceberg, Pinot's next commit brings the rest");
      Supplier<FactsComparison> facts =
          () -> FactsComparison.of(icebergFacts.byCheckpoint(), pinotFacts.byCheckpoint());
      awaitPinot(ledger, current, facts);
      return conclude(ledger, database, current, facts.get(), renumbered);
    } finally {
      job.cancel().get(30, TimeUnit.SECONDS);
    }
  }

  /** All that happens in the database. A changed key is a deletion and an insertion. */
  private Map<Integer, Integer> land(FlightDatabase database, LedgerWatch watch, JobClient job)
      throws Exception {
    FlightReplay replay = new FlightReplay(database, watch, job, () -> {});
    replay.apply(FlightChanges.of(FlightFile.read()), pace);
    Map<Integer, Integer> renumbered = replay.renumber(List.of());
    replay.awaitAll();
    return renumbered;
  }

  /** Until it has told of all changes, and says what Iceberg says. */
  private static void awaitPinot(
      Table ledger, ProgramTable current, Supplier<FactsComparison> facts) throws Exception {
    Waiting.until(
        "Pinot has all changes and says what Iceberg says",
        PATIENCE,
        () ->
            facts.get().rows() == LedgerWatch.rows(ledger)
                && saySame(IcebergFinality.of(ledger).read(), current.finality()),
        () ->
            "Iceberg has %,d changes and says %s, Pinot has %,d and says %s"
                .formatted(
                    LedgerWatch.rows(ledger),
                    watermark(IcebergFinality.of(ledger).read()),
                    facts.get().rows(),
                    watermark(current.finality())));
  }

  private Result conclude(
      Table ledger,
      FlightDatabase database,
      ProgramTable current,
      FactsComparison facts,
      Map<Integer, Integer> renumbered)
      throws Exception {
    TableFinality iceberg = IcebergFinality.of(ledger).read();
    TableFinality pinot = current.finality();
    LedgerCheck ledgerCheck = LedgerCheck.compare(ledger, database.rows());
    SortedMap<Integer, Object> rows = current.rows(FlightColumns.SELECTED, "");
    RowComparison currentCheck =
        RowComparison.of(
            new Rows<>("MariaDB", FlightColumns.values(database.flights().values())),
            new Rows<>("Pinot", rows));
    List<String> lines = new ArrayList<>();
    lines.add(
        "Iceberg     %,d changes, folded: %s"
            .formatted(ledgerCheck.changes(), ledgerCheck.rows().verdict("MariaDB")));
    ledgerCheck.rows().differences().forEach(line -> lines.add("            " + line));
    lines.add("Pinot       the last change of each key: " + currentCheck.verdict("MariaDB"));
    currentCheck.differences().forEach(line -> lines.add("            " + line));
    lines.add("new keys    %s".formatted(renumbered));
    lines.add(
        "facts       %d commits of Pinot with %,d changes: %s"
            .formatted(
                facts.commits(),
                facts.rows(),
                facts.agrees() ? "equal to Iceberg's, put together" : "DIFFER from Iceberg's"));
    facts.differences().forEach(line -> lines.add("            " + line));
    lines.add("watermark   Iceberg %s, Pinot %s".formatted(watermark(iceberg), watermark(pinot)));
    lines.addAll(HoursOfTwoDays.lines(pinot));
    progress.show(lines);
    Result result =
        new Result(
            ledgerCheck, currentCheck, facts, renumbered, rows.keySet(), iceberg, pinot, lines);
    progress.say(result.isGood() ? "DONE: rows, facts and answers agree" : "FAILED: they differ");
    return result;
  }

  private static boolean saySame(TableFinality iceberg, TableFinality pinot) {
    return Objects.equals(watermark(iceberg), watermark(pinot))
        && HoursOfTwoDays.letters(iceberg).equals(HoursOfTwoDays.letters(pinot));
  }

  private static @Nullable FinalizationWatermark watermark(TableFinality finality) {
    Opinion opinion = finality.opinion();
    return opinion == null ? null : opinion.watermark();
  }
}

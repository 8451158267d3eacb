package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.pipeline.kafka.ChangeTopics;
import dev.tidemark.quickstart.embedded.EmbeddedDebezium;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedParts;
import dev.tidemark.quickstart.flights.FlightChange;
import dev.tidemark.quickstart.flights.FlightChanges;
import dev.tidemark.quickstart.flights.FlightFile;
import dev.tidemark.quickstart.program.Arguments;
import dev.tidemark.quickstart.program.Programs;
import dev.tidemark.quickstart.program.Progress;
import dev.tidemark.quickstart.program.RowComparison;
import dev.tidemark.quickstart.program.WorkDirectory;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.iceberg.Table;

/**
 * Real flights land in MariaDB in the order in which they flew, are corrected and deleted, and a
 * few get another primary key; Debezium reads its binlog into Kafka; a Flink job writes the ledger
 * into Iceberg with a commit every second; the watermark moves hour by hour and late rows are
 * reported. Meanwhile Spark merges the ledger into the base table again and again, each time in a
 * process of its own, and the base table's watermark follows the ledger's. When all changes are in
 * the ledger, Flink is stopped and Spark merges the rest, and once more, which finds nothing. The
 * ledger, folded, and the base table are compared with MariaDB row by row. Exits 0 only if all
 * three agree.
 *
 * <p>Options: {@code --seconds N}, how long the two days of landings take; 40 by default.
 */
public final class MainJob {
  static final String TOPIC_PREFIX = "cdc";
  static final String TOPIC = TOPIC_PREFIX + "." + FlightDatabase.TABLE;
  static final int PARTITIONS = 4;
  static final int BUCKETS = 2;
  private static final Duration CHECKPOINTS = Duration.ofSeconds(1);
  private static final int MERGES = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Duration pace;
  private final Progress progress;

  /**
   * What a run ended with.
   *
   * @param check the ledger beside the database
   * @param baseRows the base table beside the database
   * @param baseFinality what the base table says of its completeness
   * @param merges Spark's merges in order
   * @param stream what happened in the database
   * @param hoursFinal how many of the two days' hours are final
   * @param lines the summary
   */
  record Result(
      LedgerCheck check,
      RowComparison baseRows,
      TableFinality baseFinality,
      List<BaseMerge> merges,
      Stream stream,
      long hoursFinal,
      List<String> lines) {
    boolean agrees() {
      return check.rows().agrees()
          && baseRows.agrees()
          && merges.stream().allMatch(BaseMerge::carriesWhatItRead)
          && merges.get(merges.size() - 1).changedNothing();
    }
  }

  /**
   * What happened in the database.
   *
   * @param changes how many
   * @param newIds the new id of each row whose primary key was changed, by the old one
   */
  record Stream(long changes, SortedMap<Integer, Integer> newIds) {}

  /**
   * @param pace how long the two days of landings take
   * @param output gets each line of progress
   */
  MainJob(Duration pace, Consumer<String> output) {
    this.pace = pace;
    this.progress = new Progress(output);
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Programs.runAndExit(
        "main-job",
        () -> {
          Arguments arguments = Arguments.parse(args, Set.of(Arguments.SECONDS));
          Duration pace = Duration.ofSeconds(arguments.seconds(40));
          return new MainJob(pace, System.out::println).run().agrees();
        });
  }

  Result run() throws Exception {
    progress.say("starting MariaDB and Kafka (the first run unpacks 216 MB of MariaDB)");
    Path work = WorkDirectory.create("main-job");
    try (EmbeddedParts parts = EmbeddedParts.start(progress::say);
        EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(work);
        Connection connection = parts.mariaDb().connect("")) {
      return run(parts, catalog, new FlightDatabase(connection), work);
    } finally {
      WorkDirectory.delete(work);
    }
  }

  private Result run(
      EmbeddedParts parts, EmbeddedIcebergCatalog catalog, FlightDatabase database, Path work)
      throws Exception {
    database.createTable();
    parts.kafka().createTopic(TOPIC, PARTITIONS);
    Table ledger =
        catalog.create(
            LedgerJob.TABLE, LedgerJob.LEDGER.schema(), LedgerJob.LEDGER.partitionSpec(BUCKETS));
    EmbeddedDebezium debezium =
        parts.closing(
            parts
                .debezium()
                .tables(FlightDatabase.TABLE.toString())
                .topicPrefix(TOPIC_PREFIX)
                .partitions(PARTITIONS)
                .stateDirectory(work.resolve("debezium"))
                .start());
    LedgerWatch watch = new LedgerWatch(ledger, progress::say);
    Table base =
        catalog.create(BaseTable.TABLE, BaseTable.SCHEMA, BaseTable.partitionSpec(BUCKETS));
    BaseMerges merges =
        new BaseMerges(
            MergeProcess.beside(catalog.name(), catalog.properties()),
            work,
            catalog.load(LedgerJob.TABLE),
            base,
            progress::say);
    LedgerJob flink =
        new LedgerJob(ChangeTopics.of(parts.kafka().bootstrapServers(), TOPIC), CHECKPOINTS);
    JobClient job = flink.start(catalog.loader(LedgerJob.TABLE));
    Stream stream;
    try {
      debezium.awaitStreaming(PATIENCE);
      progress.say(
          "Debezium streams the binlog, Flink writes the ledger, Spark merges it; times are day and hour of 2001-01");
      stream = stream(database, watch, job, merges);
    } finally {
      stop(job);
    }
    progress.say(
        "all changes are in the ledger, Flink is stopped; Spark merges the rest, and looks once more");
    merges.next();
    merges.next();
    return conclude(ledger, base, database, watch, merges.done(), stream);
  }

  /**
   * All that happens in the database, while Spark merges. The keys change when the base table has
   * the old ones. A merge that fails ends it.
   */
  private Stream stream(
      FlightDatabase database, LedgerWatch watch, JobClient job, BaseMerges merges)
      throws Exception {
    List<FlightChange> changes = FlightChanges.of(FlightFile.read());
    List<FlightChange> firstHalf = changes.subList(0, changes.size() / 2);
    List<FlightChange> secondHalf = changes.subList(changes.size() / 2, changes.size());
    try (MergeSchedule schedule = MergeSchedule.start(merges, pace.dividedBy(MERGES))) {
      FlightReplay replay = new FlightReplay(database, watch, job, schedule::check);
      replay.apply(firstHalf, pace.dividedBy(2));
      schedule.awaitFirst();
      SortedMap<Integer, Integer> newIds = replay.renumber(secondHalf);
      progress.say("primary keys change in MariaDB: " + newIds);
      replay.apply(secondHalf, pace.dividedBy(2));
      replay.awaitAll();
      schedule.end();
      return new Stream(replay.applied(), newIds);
    }
  }

  /** After this the ledger stands still. */
  private static void stop(JobClient job) throws Exception {
    CompletableFuture<JobExecutionResult> over = job.getJobExecutionResult();
    if (!over.isDone()) {
      job.cancel().get(30, TimeUnit.SECONDS);
      over.handle((result, failure) -> "over").get(30, TimeUnit.SECONDS);
    }
  }

  private Result conclude(
      Table ledger,
      Table base,
      FlightDatabase database,
      LedgerWatch watch,
      List<BaseMerge> merges,
      Stream stream)
      throws Exception {
    LedgerCheck check = LedgerCheck.compare(ledger, database.rows());
    RowComparison baseRows =
        RowComparison.of(
            new RowComparison.Rows<>("MariaDB", database.rows()),
            new RowComparison.Rows<>("base table", BaseTable.rows(base)));
    TableFinality baseFinality = IcebergFinality.of(base).read();
    Summary summary = new Summary(IcebergFinality.of(ledger).read(), watch.summaries());
    List<String> lines = new ArrayList<>(summary.lines(check));
    lines.addAll(Summary.baseLines(merges, baseRows, baseFinality));
    lines.add("new keys    " + stream.newIds());
    progress.show(lines);
    Result result =
        new Result(check, baseRows, baseFinality, merges, stream, summary.hoursFinal(), lines);
    progress.say(
        (result.agrees() ? "DONE: all rows agree, " : "FAILED: rows or watermarks differ, ")
            + summary.hoursFinal()
            + " of 48 hours are final");
    return result;
  }
}

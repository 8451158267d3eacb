package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.quickstart.embedded.EmbeddedDebezium;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedParts;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.core.execution.JobClient;
import org.apache.iceberg.Table;

/**
 * Real flights land in MariaDB in the order in which they flew; Debezium reads its binlog into
 * Kafka; a Flink job writes the ledger into Iceberg with a commit every second; the watermark moves
 * hour by hour and late rows are reported. At the end Spark merges the ledger into the base table,
 * in a process of its own; the ledger, folded, and the base table are compared with MariaDB row by
 * row. Exits 0 only if all three agree.
 *
 * <p>Options: {@code --seconds N}, how long the two days of landings take; 40 by default.
 */
public final class MainJob {
  private static final String TOPIC_PREFIX = "cdc";
  private static final String TOPIC = TOPIC_PREFIX + "." + FlightDatabase.TABLE;
  private static final int PARTITIONS = 4;
  private static final int BUCKETS = 2;
  private static final long MAX_AHEAD = 2_500;
  private static final Duration TICK = Duration.ofMinutes(5);
  private static final Duration CHECKPOINTS = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 100;

  private final long startNanos = System.nanoTime();
  private final Duration pace;
  private final Consumer<String> output;

  /**
   * What a run ended with.
   *
   * @param check the ledger beside the database
   * @param baseCheck the base table beside the database
   * @param baseFinality what the base table says of its completeness
   * @param hoursFinal how many of the two days' hours are final
   * @param lines the summary
   */
  record Result(
      LedgerCheck check,
      LedgerCheck baseCheck,
      TableFinality baseFinality,
      long hoursFinal,
      List<String> lines) {
    boolean agrees() {
      return check.agrees() && baseCheck.agrees();
    }
  }

  /**
   * @param pace how long the two days of landings take
   * @param output gets each line of progress
   */
  MainJob(Duration pace, Consumer<String> output) {
    this.pace = pace;
    this.output = output;
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] args) {
    int exit;
    try {
      Result result = new MainJob(Duration.ofSeconds(seconds(args)), System.out::println).run();
      exit = result.agrees() ? 0 : 1;
    } catch (Exception e) {
      System.err.println("The main job failed: " + e);
      e.printStackTrace();
      exit = 1;
    }
    System.exit(exit);
  }

  Result run() throws Exception {
    say("starting MariaDB and Kafka (the first run unpacks 216 MB of MariaDB)");
    Path work = WorkDirectory.create();
    try (EmbeddedParts parts = EmbeddedParts.start(this::say);
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
    JobClient job =
        new LedgerJob(parts.kafka().bootstrapServers(), TOPIC, CHECKPOINTS)
            .start(catalog.loader(LedgerJob.TABLE));
    try {
      debezium.awaitStreaming(PATIENCE);
      say(
          "Debezium streams the binlog, Flink writes the ledger; times are day and hour of 2001-01");
      LedgerWatch watch = new LedgerWatch(ledger, this::say);
      List<FlightChange> changes = FlightChanges.of(FlightFile.read());
      replay(changes, database, watch, job);
      awaitRows(changes.size(), watch, job);
      Table base = merge(catalog, work);
      return conclude(ledger, base, database, watch);
    } finally {
      job.cancel().get(30, TimeUnit.SECONDS);
    }
  }

  /**
   * Applies the changes tick by tick, at a pace that spreads them evenly over the time given, and
   * never far ahead of the ledger: on a slow machine too there are commits to see.
   */
  private void replay(
      List<FlightChange> changes, FlightDatabase database, LedgerWatch watch, JobClient job)
      throws Exception {
    LocalDateTime first = changes.get(0).at();
    long ticks = Duration.between(first, changes.get(changes.size() - 1).at()).dividedBy(TICK) + 1;
    long start = System.nanoTime();
    int next = 0;
    for (long tick = 1; tick <= ticks; tick++) {
      List<FlightChange> due = new ArrayList<>();
      LocalDateTime end = first.plus(TICK.multipliedBy(tick));
      while (next < changes.size() && changes.get(next).at().isBefore(end)) {
        due.add(changes.get(next++));
      }
      database.apply(due);
      long target = start + (long) (pace.toNanos() * ((double) next / changes.size()));
      do {
        watch.poll();
      } while (pauseUntil(target));
      awaitRows(next - MAX_AHEAD, watch, job);
    }
  }

  private static void awaitRows(long rows, LedgerWatch watch, JobClient job) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (watch.rows() < rows) {
      if (System.nanoTime() > deadline || job.getJobStatus().get().isGloballyTerminalState()) {
        throw new IllegalStateException(
            "The ledger holds "
                + watch.rows()
                + " changes (expected: at least "
                + rows
                + " within "
                + PATIENCE
                + "); the job is "
                + job.getJobStatus().get());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      watch.poll();
    }
  }

  private Table merge(EmbeddedIcebergCatalog catalog, Path work) throws Exception {
    say("Spark merges the ledger into the base table, as a process of its own");
    Table base =
        catalog.create(BaseTable.TABLE, BaseTable.SCHEMA, BaseTable.partitionSpec(BUCKETS));
    MergeProcess.beside(catalog.name(), catalog.properties())
        .run(BaseTable.TABLE.toString(), LedgerJob.TABLE.toString(), work, this::say);
    return base;
  }

  private Result conclude(Table ledger, Table base, FlightDatabase database, LedgerWatch watch)
      throws Exception {
    LedgerCheck check = LedgerCheck.compare(ledger, database.rows());
    LedgerCheck baseCheck =
        LedgerCheck.compare("base table", check.changes(), BaseTable.rows(base), database.rows());
    TableFinality baseFinality = IcebergFinality.of(base).read();
    Summary summary = new Summary(IcebergFinality.of(ledger).read(), watch.summaries());
    List<String> lines = new ArrayList<>(summary.lines(check));
    lines.addAll(Summary.baseLines(baseCheck, baseFinality));
    output.accept("");
    lines.forEach(output);
    say(
        (check.agrees() && baseCheck.agrees() ? "DONE: all rows agree, " : "FAILED: rows differ, ")
            + summary.hoursFinal()
            + " of 48 hours are final");
    return new Result(check, baseCheck, baseFinality, summary.hoursFinal(), lines);
  }

  private static boolean pauseUntil(long targetNanos) throws InterruptedException {
    long rest = TimeUnit.NANOSECONDS.toMillis(targetNanos - System.nanoTime());
    if (rest > 0) {
      TimeUnit.MILLISECONDS.sleep(Math.min(rest, POLL_MILLIS));
    }
    return System.nanoTime() < targetNanos;
  }

  private void say(String line) {
    double seconds = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 1000.0;
    output.accept(String.format(Locale.ROOT, "%6.1f s  %s", seconds, line));
  }

  private static long seconds(String[] args) {
    if (args.length == 0) {
      return 40;
    }
    if (args.length == 2 && args[0].equals("--seconds") && args[1].matches("[1-9][0-9]{0,3}")) {
      return Long.parseLong(args[1]);
    }
    throw new IllegalArgumentException(
        "Invalid arguments: " + String.join(" ", args) + " (expected: none, or --seconds N)");
  }
}

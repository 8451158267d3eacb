package dev.tidemark.quickstart.pinot;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.flink.KeySerializer;
import dev.tidemark.pinot.flink.PinotPartitioning;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
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
import dev.tidemark.quickstart.program.SideBySide;
import dev.tidemark.quickstart.program.Waiting;
import dev.tidemark.quickstart.program.WorkDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A REALTIME upsert table consumes the changes of flights from Kafka; the topic reaches back an
 * hour before the sixth hour of the second day. While the stream goes on, a Flink job loads all
 * that happened before that hour, each row into the partition of its key. The hour in between comes
 * from both sides with equal times: the stream's row wins. Deletions are tombstones. At the end
 * every key is compared with the source, and once more after the consuming segments were sealed.
 * Exits 0 only if all agree.
 *
 * <p>Options: {@code --controller URL}, a Pinot that runs already and reaches 127.0.0.1 where this
 * program runs; else one is started.
 */
public final class UpsertBootstrap {
  private static final LocalDateTime CUT = LocalDateTime.of(2001, 1, 11, 6, 0);
  private static final LocalDateTime STREAM_BEGINS = CUT.minusHours(1);
  private static final int PARTITIONS = 4;
  private static final int PARALLELISM = 2;
  private static final int SEGMENT_ROWS = 2_000;
  private static final int PROVEN_BY = 100;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Progress progress;

  /**
   * What a run ended with.
   *
   * @param live every key beside the source, while segments were consuming
   * @param sealed the same once they were sealed
   * @param ties how many keys both sides brought with one time; all are the stream's
   * @param finality what the table says
   * @param lines the summary
   */
  record Result(
      RowComparison live,
      RowComparison sealed,
      long ties,
      TableFinality finality,
      List<String> lines) {
    boolean isGood() {
      return live.agrees() && sealed.agrees();
    }
  }

  /**
   * @param output gets each line of progress
   */
  UpsertBootstrap(Consumer<String> output) {
    this.progress = new Progress(output);
  }

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Programs.runAndExit(
        "upsert-bootstrap",
        () -> {
          Arguments.parse(args, Set.of(Arguments.CONTROLLER)).useController();
          return new UpsertBootstrap(System.out::println).startAndRun();
        });
  }

  private boolean startAndRun() throws Exception {
    progress.say("starting Pinot and Kafka");
    try (SideBySide<PinotCluster, EmbeddedKafka> parts =
        SideBySide.start(() -> Pinots.start(progress::say), EmbeddedKafka::start)) {
      return run(parts.first(), parts.second()).isGood();
    }
  }

  Result run(PinotCluster pinot, EmbeddedKafka kafka) throws Exception {
    String name = ProgramTable.freeName("changes");
    kafka.createTopic(name, PARTITIONS);
    Path work = WorkDirectory.create("upsert-bootstrap");
    try (ProgramTable table =
        ProgramTable.create(
            pinot,
            ChangeColumns.config(name, pinot, kafka.bootstrapServers(), name),
            ChangeColumns.schema(name))) {
      return run(pinot, table, kafka, work.resolve("staging").toUri().toString());
    } finally {
      WorkDirectory.delete(work);
    }
  }

  private Result run(PinotCluster pinot, ProgramTable table, EmbeddedKafka kafka, String staging)
      throws Exception {
    List<FlightChange> changes = FlightChanges.of(FlightFile.read());
    List<FlightChange> history = changes.stream().filter(c -> c.at().isBefore(CUT)).toList();
    List<FlightChange> streamed =
        changes.stream().filter(c -> !c.at().isBefore(STREAM_BEGINS)).toList();
    LiveStream stream =
        LiveStream.start(streamed, kafka.bootstrapServers(), table.name().rawName());
    awaitRows(table, PROVEN_BY);
    progress.say("the stream goes on: %,d changes so far".formatted(stream.sent()));
    backfill(table, history, staging);
    progress.say(
        "the backfill of %,d older changes is in, the stream has brought %,d meanwhile"
            .formatted(history.size(), stream.sent()));
    stream.finish();
    awaitRows(table, (long) history.size() + streamed.size());

    ExpectedChanges expected = ExpectedChanges.of(history, streamed);
    RowComparison live = compare(table, expected.rows());
    progress.say("every key, while segments consume: " + live.verdict("the source"));
    pinot.tables().forceCommit(table.name().nameWithType(), PATIENCE);
    RowComparison sealed = compare(table, expected.rows());
    return conclude(table, expected, live, sealed);
  }

  private static void backfill(ProgramTable table, List<FlightChange> history, String staging)
      throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(PARALLELISM);
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    env.fromData(history)
        .rebalance()
        .sinkTo(
            table
                .sink(new ChangeColumns.Converter())
                .staging(staging)
                .segmentRows(SEGMENT_ROWS)
                .partitioning(PinotPartitioning.kafka(PARTITIONS, KeySerializer.string(), "id"))
                .eventTime(new ChangeColumns.EventTime())
                .finalization(
                    FinalizationConfig.forWriter("bootstrap")
                        .lookback(1, Duration.ZERO)
                        .readFromBeginning()
                        .build())
                .inputIsComplete()
                .build());
    env.execute("bootstrap");
  }

  /** Every row counts, the older ones of a key too. */
  private static void awaitRows(ProgramTable table, long rows) throws Exception {
    String count = "SET skipUpsert=true; SELECT COUNT(*) FROM %s";
    Waiting.until(
        "at least %,d rows".formatted(rows),
        PATIENCE,
        () -> table.number(count) >= rows,
        () -> table.number(count) + " rows");
  }

  private static RowComparison compare(ProgramTable table, SortedMap<Integer, Object> expected) {
    return RowComparison.of(
        new Rows<>("source", expected),
        new Rows<>("Pinot", table.rows(ChangeColumns.SELECTED, "")));
  }

  private Result conclude(
      ProgramTable table, ExpectedChanges expected, RowComparison live, RowComparison sealed) {
    TableFinality finality = table.finality();
    List<String> lines = new ArrayList<>();
    lines.add("table       while consuming " + live.verdict("the source"));
    live.differences().forEach(difference -> lines.add("            " + difference));
    lines.add("            once sealed " + sealed.verdict("the source"));
    sealed.differences().forEach(difference -> lines.add("            " + difference));
    lines.add(
        String.format(
            Locale.ROOT,
            "keys        %,d deleted; %,d rows came from both sides at one time: the stream's count",
            expected.deleted(),
            expected.ties()));
    lines.add(
        "finality    "
            + Objects.requireNonNull(finality.opinion(), "no opinion").watermark()
            + " by the backfill; later hours are the stream's, of which nobody keeps facts");
    lines.addAll(HoursOfTwoDays.lines(finality));
    progress.show(lines);
    Result result = new Result(live, sealed, expected.ties(), finality, lines);
    progress.say(result.isGood() ? "DONE: every key agrees" : "FAILED: keys differ");
    return result;
  }
}

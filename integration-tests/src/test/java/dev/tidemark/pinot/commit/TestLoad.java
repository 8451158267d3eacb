package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.segment.BuiltSegment;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.SegmentBuilder;
import dev.tidemark.pinot.segment.SegmentIdentity;
import dev.tidemark.pinot.segment.SegmentNames;
import dev.tidemark.pinot.segment.SegmentRows;
import dev.tidemark.pinot.segment.SegmentTable;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.JsonUtils;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** One table and what a backfill does to it, without Flink. */
public final class TestLoad {
  public static final long RUN_START = 1_767_225_600_000L;
  static final long HOUR = 3_600_000L;
  static final long DAY = RUN_START - 24 * HOUR;
  static final Accumulators<GenericRow> EVENT_TIMES =
      new Accumulators<>(
          List.of(
              new EventTimeAccumulatorFactory<GenericRow>(
                  (EventTimeExtractor<GenericRow>) TestLoad::eventTime,
                  Granularity.HOUR,
                  EventTimeBounds.DEFAULT)));

  public final PinotTable table;
  public final ControllerClient controller;
  private final PinotCluster pinot;
  private final ControllerSettings settings;
  private final SegmentTable segments;
  private final Path directory;

  private TestLoad(
      PinotCluster pinot,
      PinotTable table,
      SegmentTable segments,
      ControllerSettings settings,
      Path directory) {
    this.pinot = pinot;
    this.table = table;
    this.settings = settings;
    this.controller = ControllerClient.of(settings);
    this.segments = segments;
    this.directory = directory;
  }

  /** A table whose brokers are found through the controller. */
  public static TestLoad create(
      PinotCluster pinot, String schemaJson, String configJson, Path directory) throws Exception {
    return create(
        pinot, schemaJson, configJson, ControllerSettings.of(pinot.controllerUrl()), directory);
  }

  /** A table of a Pinot whose broker has another address from here than the controller knows. */
  public static TestLoad createByAddress(
      PinotCluster pinot, String schemaJson, String configJson, Path directory) throws Exception {
    ControllerSettings settings =
        ControllerSettings.builder(pinot.controllerUrl())
            .brokerUrls(List.of(pinot.brokerUrl()))
            .build();
    return create(pinot, schemaJson, configJson, settings, directory);
  }

  private static TestLoad create(
      PinotCluster pinot,
      String schemaJson,
      String configJson,
      ControllerSettings settings,
      Path directory)
      throws Exception {
    pinot.tables().create(schemaJson, configJson);
    TableConfig config = JsonUtils.stringToObject(configJson, TableConfig.class);
    SegmentTable segments = SegmentTable.of(config, Schema.fromString(schemaJson));
    return new TestLoad(
        pinot, PinotTable.parse(config.getTableName()), segments, settings, directory);
  }

  static long eventTime(GenericRow row) {
    Object ts = row.getValue("ts");
    return ts instanceof Long time ? time : Long.MIN_VALUE;
  }

  public PinotPlan plan() {
    return plan(builder -> builder);
  }

  public PinotPlan plan(UnaryOperator<PinotPlan.Builder> change) {
    return change
        .apply(
            PinotPlan.builder(table, settings)
                .upload(new PinotPlan.Upload(PushMode.TAR, 2, Duration.ofMinutes(1), true)))
        .build();
  }

  /** A plan with finalization by the hour, over one commit. */
  public PinotPlan finalizing(UnaryOperator<PinotPlan.Builder> change) {
    return plan(
        builder ->
            change.apply(
                builder
                    .accumulators(EVENT_TIMES)
                    .finalization(
                        FinalizationConfig.forWriter("load")
                            .lookback(1, Duration.ZERO)
                            .readFromBeginning()
                            .build())));
  }

  public PinotTableCommitter committer(PinotPlan plan) {
    return committer(plan, CommitSteps.UNSEEN);
  }

  /** A commit of one row at the beginning of each of these hours, each row a segment. */
  PinotCommit hours(Run run, long checkpoint, boolean ended, int... hours) throws Exception {
    List<GenericRow> all = new ArrayList<>();
    List<StagedSegment> segments = new ArrayList<>();
    for (int hour : hours) {
      GenericRow row = row("id", "k" + hour, "v", hour, "ts", DAY + hour * HOUR);
      all.add(row);
      segments.add(segment(run, checkpoint * 100 + hour, null, List.of(row)));
    }
    return commit(run, checkpoint, ended, facts(all), segments.toArray(StagedSegment[]::new));
  }

  ControllerSettings settings() {
    return settings;
  }

  /** Takes a segment away, as retention or somebody does. */
  void delete(String segment) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    pinot.controllerUrl()
                        + "/segments/"
                        + table.nameWithType()
                        + "/"
                        + segment
                        + "?retention=0d"))
            .DELETE()
            .build();
    HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .build()
        .send(request, HttpResponse.BodyHandlers.ofString());
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !controller.visibleSegments(table).contains(segment));
  }

  PinotTableCommitter committer(PinotPlan plan, CommitSteps steps) {
    PinotTableCommitter committer =
        new PinotTableCommitter(plan, new LocalFiles(), Patience.real(), steps);
    committer.start();
    return committer;
  }

  public static Run run(String id) {
    return new Run(id, RUN_START, 0);
  }

  public PinotCommit commit(Run run, long checkpoint, boolean ended, StagedSegment... segments) {
    return commit(run, checkpoint, ended, Map.of(), segments);
  }

  public PinotCommit commit(
      Run run,
      long checkpoint,
      boolean ended,
      Map<String, byte[]> accumulated,
      StagedSegment... segments) {
    return new PinotCommit(
        CommitId.random(),
        run,
        checkpoint,
        new PinotCommit.Delivery(false, ended),
        List.of(segments),
        accumulated);
  }

  public static PinotCommit again(PinotCommit commit) {
    return new PinotCommit(
        commit.id(),
        commit.run(),
        commit.checkpointId(),
        new PinotCommit.Delivery(true, commit.delivery().inputEnded()),
        commit.segments(),
        commit.accumulated());
  }

  public static Map<String, byte[]> facts(List<GenericRow> rows) {
    var set = EVENT_TIMES.create();
    rows.forEach(set::add);
    return EVENT_TIMES.merge(List.of(set.drain()));
  }

  public StagedSegment segment(
      Run run, long sequence, @Nullable Integer partition, List<GenericRow> rows) throws Exception {
    return segment(run, sequence, partition, TieRule.STREAM_WINS, rows);
  }

  StagedSegment segment(
      Run run, long sequence, @Nullable Integer partition, TieRule rule, List<GenericRow> rows)
      throws Exception {
    SegmentNames names = SegmentNames.of(segments);
    String name =
        partition == null
            ? names.offline(run, 0, sequence)
            : names.realtime(run, partition, 0, sequence);
    SegmentRows buffer = segments.newRows();
    for (GenericRow row : rows) {
      buffer.add(row);
    }
    long created =
        partition == null
            ? run.startMillis()
            : CreationTimes.creationTimeMillis(rule, run, sequence);
    BuiltSegment built =
        new SegmentBuilder().build(buffer, new SegmentIdentity(name, created, Map.of()), directory);
    return new StagedSegment(
        name,
        built.crc(),
        new StagedSegment.Files(
            built.tar().toUri().toString(),
            built.metadataTar().toUri().toString(),
            built.tarBytes()),
        partition,
        built.rows(),
        created,
        built.times());
  }

  public static GenericRow row(Object... pairs) {
    GenericRow row = new GenericRow();
    for (int i = 0; i < pairs.length; i += 2) {
      row.putValue((String) pairs[i], pairs[i + 1]);
    }
    return row;
  }

  public List<List<@Nullable Object>> rows(String sql) {
    return pinot.queries().rows(sql);
  }

  public long number(String sql) {
    return pinot.queries().number(sql);
  }

  public boolean isStaged(StagedSegment segment) {
    return Files.exists(Path.of(URI.create(segment.files().tarUri())));
  }
}

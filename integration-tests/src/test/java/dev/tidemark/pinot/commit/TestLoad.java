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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.JsonUtils;
import org.jspecify.annotations.Nullable;

/** One table and what a backfill does to it, without Flink. */
final class TestLoad {
  static final long RUN_START = 1_767_225_600_000L;
  static final Accumulators<GenericRow> EVENT_TIMES =
      new Accumulators<>(
          List.of(
              new EventTimeAccumulatorFactory<GenericRow>(
                  (EventTimeExtractor<GenericRow>) TestLoad::eventTime,
                  Granularity.HOUR,
                  EventTimeBounds.DEFAULT)));

  final PinotTable table;
  final ControllerClient controller;
  private final PinotCluster pinot;
  private final ControllerSettings settings;
  private final SegmentTable segments;
  private final Path directory;

  private TestLoad(PinotCluster pinot, PinotTable table, SegmentTable segments, Path directory) {
    this.pinot = pinot;
    this.table = table;
    this.settings = ControllerSettings.of(pinot.controllerUrl());
    this.controller = ControllerClient.of(settings);
    this.segments = segments;
    this.directory = directory;
  }

  static TestLoad create(PinotCluster pinot, String schemaJson, String configJson, Path directory)
      throws Exception {
    pinot.tables().create(schemaJson, configJson);
    TableConfig config = JsonUtils.stringToObject(configJson, TableConfig.class);
    SegmentTable segments = SegmentTable.of(config, Schema.fromString(schemaJson));
    return new TestLoad(pinot, PinotTable.parse(config.getTableName()), segments, directory);
  }

  static long eventTime(GenericRow row) {
    Object ts = row.getValue("ts");
    return ts instanceof Long time ? time : Long.MIN_VALUE;
  }

  PinotPlan plan() {
    return plan(builder -> builder);
  }

  PinotPlan plan(UnaryOperator<PinotPlan.Builder> change) {
    return change
        .apply(
            PinotPlan.builder(table, settings)
                .upload(new PinotPlan.Upload(PushMode.TAR, 2, Duration.ofMinutes(1), true)))
        .build();
  }

  /** A plan with finalization by the hour, over one commit. */
  PinotPlan finalizing(UnaryOperator<PinotPlan.Builder> change) {
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

  PinotTableCommitter committer(PinotPlan plan) {
    return committer(plan, CommitSteps.UNSEEN);
  }

  PinotTableCommitter committer(PinotPlan plan, CommitSteps steps) {
    PinotTableCommitter committer =
        new PinotTableCommitter(plan, new LocalFiles(), Patience.real(), steps);
    committer.start();
    return committer;
  }

  static Run run(String id) {
    return new Run(id, RUN_START, 0);
  }

  PinotCommit commit(Run run, long checkpoint, boolean ended, StagedSegment... segments) {
    return commit(run, checkpoint, ended, Map.of(), segments);
  }

  PinotCommit commit(
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

  static PinotCommit again(PinotCommit commit) {
    return new PinotCommit(
        commit.id(),
        commit.run(),
        commit.checkpointId(),
        new PinotCommit.Delivery(true, commit.delivery().inputEnded()),
        commit.segments(),
        commit.accumulated());
  }

  static Map<String, byte[]> facts(List<GenericRow> rows) {
    var set = EVENT_TIMES.create();
    rows.forEach(set::add);
    return EVENT_TIMES.merge(List.of(set.drain()));
  }

  StagedSegment segment(Run run, long sequence, @Nullable Integer partition, List<GenericRow> rows)
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
            : CreationTimes.creationTimeMillis(TieRule.STREAM_WINS, run, sequence);
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

  static GenericRow row(Object... pairs) {
    GenericRow row = new GenericRow();
    for (int i = 0; i < pairs.length; i += 2) {
      row.putValue((String) pairs[i], pairs[i + 1]);
    }
    return row;
  }

  List<List<@Nullable Object>> rows(String sql) {
    return pinot.queries().rows(sql);
  }

  long number(String sql) {
    return pinot.queries().number(sql);
  }

  boolean isStaged(StagedSegment segment) {
    return Files.exists(Path.of(URI.create(segment.files().tarUri())));
  }
}

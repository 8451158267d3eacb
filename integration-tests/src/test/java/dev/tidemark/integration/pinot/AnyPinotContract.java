package dev.tidemark.integration.pinot;

import static dev.tidemark.pinot.commit.TestLoad.row;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.commit.PinotPlan;
import dev.tidemark.pinot.commit.PinotTableCommitter;
import dev.tidemark.pinot.commit.PublishResult;
import dev.tidemark.pinot.commit.ReplacedSegments;
import dev.tidemark.pinot.commit.TestLoad;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.PinotTables;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What holds on every Pinot: the embedded one, one that is found by its address, the image in
 * Docker. Nothing here restarts a part of it, and every table has a name of its own and is dropped.
 */
abstract class AnyPinotContract {
  private static final long HOUR = 3_600_000L;
  private static final long DAY = TestLoad.RUN_START - 24 * HOUR;

  @TempDir Path directory;
  private final List<String> created = new ArrayList<>();

  /** The Pinot under test. */
  abstract PinotCluster pinot();

  /** Why it can read no topic of this host; empty if it can. */
  Optional<String> whyItConsumesNothing() {
    return Optional.empty();
  }

  @AfterEach
  void dropTables() {
    created.forEach(table -> pinot().tables().drop(table));
  }

  @Test
  void tableIsCreatedQueriedAndDropped() {
    String name = name();
    PinotTables tables = pinot().tables();
    tables.create(schema(name), offline(name));
    assertThat(pinot().queries().count(name)).isZero();
    tables.drop(name + "_OFFLINE");
    tables.create(schema(name), offline(name));
    tables.drop(name + "_OFFLINE");
  }

  @Test
  void commitsAppearWholeAndASecondDeliveryChangesNothing() throws Exception {
    TestLoad load = offlineTable();
    Run run = run("once");
    PinotTableCommitter committer = load.committer(load.plan());
    PinotCommit first = hours(load, run, 1, false, 1, 2, 3);
    PinotCommit second = hours(load, run, 2, true, 4, 5);

    assertThat(committer.publish(first)).isInstanceOf(PublishResult.Published.class);
    assertThat(ids(load)).containsExactly("k1", "k2", "k3");
    assertThat(committer.publish(second)).isInstanceOf(PublishResult.Published.class);
    assertThat(ids(load)).containsExactly("k1", "k2", "k3", "k4", "k5");

    Map<String, SegmentInfo> before = load.controller.allSegments(load.table);
    assertThat(load.committer(load.plan()).publish(TestLoad.again(second)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.controller.allSegments(load.table)).isEqualTo(before);
    assertThat(second.segments()).noneMatch(load::isStaged);
  }

  @Test
  void windowOfTimeIsReplaced() throws Exception {
    TestLoad load = offlineTable();
    load.committer(load.plan()).publish(hours(load, run("old"), 1, true, 1, 2, 3));
    PinotPlan window =
        load.plan(
            b ->
                b.replaced(
                    ReplacedSegments.within(
                        Instant.ofEpochMilli(DAY + 2 * HOUR),
                        Instant.ofEpochMilli(DAY + 9 * HOUR))));
    load.committer(window).publish(hours(load, run("new"), 1, true, 4));
    assertThat(ids(load)).containsExactly("k1", "k4");
  }

  @Test
  void factsAndOpinionAreToldAndAWipedMirrorIsWrittenAgain() throws Exception {
    TestLoad load = offlineTable();
    assertThat(answer(load, 0)).isInstanceOf(FinalityAnswer.Unknown.class);
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    Run run = run("facts");
    PinotCommit commit = hours(load, run, 1, false, 0, 1, 2);
    committer.publish(commit);
    committer.publish(hours(load, run, 2, false, 3, 4));

    SegmentInfo carrier =
        load.controller.segment(load.table, commit.segments().get(0).name()).orElseThrow();
    assertThat(EventTimeProperties.read(carrier.customMap()).orElseThrow().times().count())
        .isEqualTo(3);
    assertThat(answer(load, 2)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(answer(load, 3)).isInstanceOf(FinalityAnswer.NotReady.class);
    assertThat(mirrored(load)).isEqualTo(DAY + 3 * HOUR);

    ObjectNode config = load.controller.tableConfig(load.table).orElseThrow().deepCopy();
    ((ObjectNode) config.path("metadata")).remove("customConfigs");
    load.controller.putTableConfig(load.table, config);
    assertThat(mirrored(load)).isNull();
    assertThat(answer(load, 2)).isInstanceOf(FinalityAnswer.Ready.class);
    load.committer(load.finalizing(b -> b));
    assertThat(mirrored(load)).isEqualTo(DAY + 3 * HOUR);
  }

  /** Keys 1 to 4 are streamed; the backfill ties, is newer, is older, deletes, and brings key 5. */
  @Test
  void upsertBesideAStreamKeepsTiesAndDeletes() throws Exception {
    whyItConsumesNothing()
        .ifPresent(reason -> Assumptions.abort("No upsert is tested on this Pinot: " + reason));
    EmbeddedKafka kafka = SharedKafka.get();
    String name = name();
    kafka.createTopic(name, 1);
    Map<String, String> stream = pinot().jsonFromKafka(kafka.bootstrapServers(), name);
    Tables.send(
        kafka,
        name,
        IntStream.rangeClosed(1, 4)
            .mapToObj(
                i ->
                    new Tables.Message(
                        0, "k" + i, Map.of("id", "k" + i, "v", 1, "ts", DAY + 100, "gone", false)))
            .toList());
    TestLoad load = table(name, upsert(name, Tables.json(stream)), "_REALTIME");
    Tables.patiently().until(() -> ids(load).size() == 4);

    Run run = run("backfill");
    StagedSegment segment =
        load.segment(
            run,
            0,
            0,
            List.of(
                change(1, 100, false),
                change(2, 101, false),
                change(3, 99, false),
                change(4, 101, true),
                change(5, 1, false)));
    PinotCommit commit = load.commit(run, 1, true, segment);
    load.committer(load.plan()).publish(commit);
    List<List<Object>> right =
        List.of(List.of("k1", 1), List.of("k2", 2), List.of("k3", 1), List.of("k5", 2));
    assertThat(values(load)).isEqualTo(right);

    SegmentInfo before = load.controller.segment(load.table, segment.name()).orElseThrow();
    assertThat(load.committer(load.plan()).publish(TestLoad.again(commit)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.controller.segment(load.table, segment.name())).contains(before);
    assertThat(values(load)).isEqualTo(right);
    pinot().tables().drop(load.table.nameWithType());
  }

  private static GenericRow change(int key, long ts, boolean gone) {
    return row("id", "k" + key, "v", 2, "ts", DAY + ts, "gone", gone ? 1 : 0);
  }

  private PinotCommit hours(TestLoad load, Run run, long checkpoint, boolean ended, int... hours)
      throws Exception {
    List<GenericRow> all = new ArrayList<>();
    List<StagedSegment> segments = new ArrayList<>();
    for (int hour : hours) {
      GenericRow row = row("id", "k" + hour, "v", hour, "ts", DAY + hour * HOUR, "gone", 0);
      all.add(row);
      segments.add(load.segment(run, hour, null, List.of(row)));
    }
    return load.commit(
        run, checkpoint, ended, TestLoad.facts(all), segments.toArray(StagedSegment[]::new));
  }

  private static List<String> ids(TestLoad load) {
    return values(load).stream().map(row -> (String) row.get(0)).toList();
  }

  private static List<List<Object>> values(TestLoad load) {
    return new ArrayList<>(
        load.rows("SELECT id, v FROM " + load.table.rawName() + " ORDER BY id LIMIT 100"));
  }

  private static FinalityAnswer answer(TestLoad load, int hour) {
    TableFinality finality =
        PinotFinality.of(load.table, load.controller, Clock.systemUTC()).read();
    return finality.answerAt(Instant.ofEpochMilli(DAY + hour * HOUR));
  }

  private static @Nullable Long mirrored(TestLoad load) {
    Map<String, String> entry =
        PinotMirror.of(load.controller.tableConfig(load.table).orElseThrow())
            .entries()
            .get(PinotMirror.key("load"));
    return entry == null
        ? null
        : FinalizationProperties.number(entry, FinalizationProperties.WATERMARK_MS);
  }

  private TestLoad offlineTable() throws Exception {
    String name = name();
    return table(name, offline(name), "_OFFLINE");
  }

  private TestLoad table(String name, String config, String suffix) throws Exception {
    created.add(name + suffix);
    return TestLoad.createByAddress(pinot(), schema(name), config, directory);
  }

  /** Other JVMs may use the same Pinot. */
  private static String name() {
    return "contract_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
  }

  private static String schema(String name) {
    return """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [{"name": "id", "dataType": "STRING"}, {"name": "v", "dataType": "INT"},
           {"name": "gone", "dataType": "BOOLEAN"}],
         "dateTimeFieldSpecs": [
           {"name": "ts", "dataType": "LONG", "format": "1:MILLISECONDS:EPOCH", "granularity": "1:MILLISECONDS"}],
         "primaryKeyColumns": ["id"]}
        """
        .formatted(name);
  }

  private static String offline(String name) {
    return """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "1", "segmentPushType": "APPEND", "timeColumnName": "ts"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {}}
        """
        .formatted(name);
  }

  private static String upsert(String name, String stream) {
    return """
        {"tableName": "%s_REALTIME", "tableType": "REALTIME",
         "segmentsConfig": {"replication": "1", "timeColumnName": "ts"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {},
         "routing": {"instanceSelectorType": "strictReplicaGroup"},
         "upsertConfig": {"mode": "FULL", "comparisonColumns": ["ts"], "deleteRecordColumn": "gone"},
         "ingestionConfig": {"streamIngestionConfig": {"streamConfigMaps": [%s]}}}
        """
        .formatted(name, stream);
  }
}

package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import dev.tidemark.quickstart.embedded.pinot.EmbeddedPinot;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers of a real Pinot that are restarted after a backfill, several times: the answers stay as
 * they were, those of ties too. Keys 1 to 3 are streamed; the backfill ties with 1, is newer for 2,
 * older for 3, and brings 4.
 */
class RestartsITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int RESTARTS = 3;
  private static final long BASE = TestLoad.DAY;
  private static final AtomicInteger TABLES = new AtomicInteger();

  private static EmbeddedKafka kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startKafka() {
    kafka = SharedKafka.get();
    if (SharedPinot.get() instanceof EmbeddedPinot pinot) {
      dropTablesOfOthers(pinot);
    }
  }

  /** A server that is restarted loads every table there is: those of other tests take minutes. */
  private static void dropTablesOfOthers(EmbeddedPinot pinot) {
    ControllerClient controller = ControllerClient.of(ControllerSettings.of(pinot.controllerUrl()));
    for (String name : controller.tables()) {
      for (PinotTable.Type type : PinotTable.Type.values()) {
        PinotTable table = new PinotTable(name, type);
        if (controller.tableConfig(table).isPresent()) {
          pinot.tables().drop(table.nameWithType());
        }
      }
    }
  }

  @ParameterizedTest(name = "preload {0}")
  @ValueSource(strings = {"DISABLE", "ENABLE"})
  void streamWinsTiesOverRestartsAndCommits(String preload) throws Exception {
    EmbeddedPinot pinot = embedded();
    TestLoad load = streamed(preload);
    Run run = new Run("restarts", TestLoad.RUN_START, 0);
    load.committer(load.plan()).publish(backfill(load, run, TieRule.STREAM_WINS));
    List<List<Object>> right = values(1, 2, 1, 2);
    assertRows(load, right);

    restartAll(pinot, load, right);
    pinot.tables().forceCommit(load.table.nameWithType(), PATIENCE);
    assertRows(load, right);
    for (int i = 1; i < RESTARTS; i++) {
      restartAll(pinot, load, right);
    }
    pinot.tables().drop(load.table.nameWithType());
  }

  @ParameterizedTest(name = "preload {0}")
  @ValueSource(strings = {"DISABLE", "ENABLE"})
  void backfillWinsTiesOverWhatWasSealedBeforeIt(String preload) throws Exception {
    EmbeddedPinot pinot = embedded();
    TestLoad load = streamed(preload);
    load.controller.pauseConsumption(load.table);
    await().atMost(PATIENCE).until(() -> load.controller.isPaused(load.table));
    Run run = new Run("wins", System.currentTimeMillis(), 0);
    PinotPlan plan = load.plan(b -> b.tieRule(TieRule.BACKFILL_WINS));
    load.committer(plan).publish(backfill(load, run, TieRule.BACKFILL_WINS));
    List<List<Object>> right = values(2, 2, 1, 2);
    assertRows(load, right);

    for (int i = 0; i < RESTARTS; i++) {
      restartAll(pinot, load, right);
    }
    load.controller.resumeConsumption(load.table);
    send(load.table.rawName(), 5, 7, 1);
    List<List<Object>> more = new ArrayList<>(right);
    more.add(List.of("k5", 7));
    assertRows(load, more);
    restartAll(pinot, load, more);
    pinot.tables().forceCommit(load.table.nameWithType(), PATIENCE);
    restartAll(pinot, load, more);
    pinot.tables().drop(load.table.nameWithType());
  }

  @Test
  void offlineTableAnswersTheSameOverRestarts() throws Exception {
    EmbeddedPinot pinot = embedded();
    String name = "restarts_" + TABLES.incrementAndGet();
    TestLoad load =
        TestLoad.create(pinot, Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
    PinotPlan byMetadata =
        load.plan(
            b -> b.upload(new PinotPlan.Upload(PushMode.METADATA, 2, Duration.ofMinutes(1), true)));
    Run run = new Run("offline", TestLoad.RUN_START, 0);
    load.committer(byMetadata).publish(load.hours(run, 1, false, 1, 2));
    load.committer(load.plan()).publish(load.hours(run, 2, true, 3));
    for (int i = 0; i < RESTARTS; i++) {
      restartAll(pinot, load, values(1, 2, 3));
    }
    pinot.tables().drop(load.table.nameWithType());
  }

  @Test
  void serverThatIsDownIsToldWhenTheTimeIsUpAndTheSameCommitGoesOnOnceItIsBack() throws Exception {
    EmbeddedPinot pinot = embedded();
    String name = "restarts_" + TABLES.incrementAndGet();
    TestLoad load =
        TestLoad.create(pinot, Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
    PinotPlan hasty =
        load.plan(
            b -> b.upload(new PinotPlan.Upload(PushMode.TAR, 2, Duration.ofSeconds(10), true)));
    PinotCommit commit = load.hours(new Run("down", TestLoad.RUN_START, 0), 1, true, 1, 2);
    pinot.stopServer(1);
    try {
      assertThatThrownBy(() -> load.committer(hasty).publish(commit))
          .isInstanceOf(PublishFailedException.class)
          .hasMessageContaining("segments are not served by all replicas, such as " + name)
          .hasMessageContaining("Server_127.0.0.1");
    } finally {
      pinot.startServer(1);
    }
    load.committer(load.plan()).publish(commit);
    assertRows(load, values(1, 2));
    pinot.tables().drop(load.table.nameWithType());
  }

  @Test
  void backfillThatCannotWinIsRefusedBeforeItPushes() throws Exception {
    TestLoad load = streamed("DISABLE");
    load.controller.pauseConsumption(load.table);
    await().atMost(PATIENCE).until(() -> load.controller.isPaused(load.table));
    PinotTableCommitter committer =
        load.committer(load.plan(b -> b.tieRule(TieRule.BACKFILL_WINS)));

    Run early = new Run("early", TestLoad.RUN_START, 0);
    assertThatThrownBy(() -> committer.publish(backfill(load, early, TieRule.BACKFILL_WINS)))
        .isInstanceOf(PublishFailedException.class)
        .hasMessageContaining("are not older than");
    load.controller.resumeConsumption(load.table);
    await().atMost(PATIENCE).until(() -> !load.controller.isPaused(load.table));
    Run late = new Run("late", System.currentTimeMillis(), 0);
    assertThatThrownBy(() -> committer.publish(backfill(load, late, TieRule.BACKFILL_WINS)))
        .isInstanceOf(PublishFailedException.class)
        .hasMessageContaining("Cannot let the backfill win ties");
    assertThat(load.controller.segments(load.table)).allMatch(StreamSegments::isOne);
    SharedPinot.get().tables().drop(load.table.nameWithType());
  }

  private static EmbeddedPinot embedded() {
    PinotCluster shared = SharedPinot.get();
    Assumptions.assumeTrue(
        shared instanceof EmbeddedPinot, "The servers of a Pinot elsewhere are not restarted");
    return (EmbeddedPinot) shared;
  }

  private static void restartAll(EmbeddedPinot pinot, TestLoad load, List<List<Object>> right) {
    for (int server = 0; server < pinot.servers(); server++) {
      pinot.restartServer(server);
      pinot.tables().awaitLoaded(load.table.nameWithType(), PATIENCE);
      assertRows(load, right);
    }
  }

  /** Rows of the keys k1, k2 and so on with these values. */
  private static List<List<Object>> values(int... values) {
    List<List<Object>> rows = new ArrayList<>();
    for (int value : values) {
      rows.add(List.of("k" + (rows.size() + 1), value));
    }
    return rows;
  }

  /** A broker hears of segments and servers later than the controller, and says so until then. */
  private static void assertRows(TestLoad load, List<List<Object>> right) {
    await()
        .atMost(PATIENCE)
        .ignoreException(IllegalStateException.class)
        .untilAsserted(
            () ->
                assertThat(
                        new ArrayList<>(
                            load.rows(
                                "SELECT id, v FROM "
                                    + load.table.rawName()
                                    + " ORDER BY id LIMIT 100")))
                    .isEqualTo(right));
  }

  private static PinotCommit backfill(TestLoad load, Run run, TieRule rule) throws Exception {
    List<GenericRow> rows = List.of(change(1, 100), change(2, 101), change(3, 99), change(4, 50));
    StagedSegment half = load.segment(run, 0, 0, rule, rows.subList(0, 2));
    StagedSegment rest = load.segment(run, 1, 0, rule, rows.subList(2, 4));
    return load.commit(run, 1, true, half, rest);
  }

  private static GenericRow change(int key, long ts) {
    return row("id", "k" + key, "v", 2, "ts", BASE + ts);
  }

  private TestLoad streamed(String preload) throws Exception {
    String name = "restarts_" + TABLES.incrementAndGet();
    kafka.createTopic(name, 1);
    IntStream.rangeClosed(1, 3).forEach(key -> send(name, key, 1, 100));
    Map<String, String> stream = SharedPinot.get().jsonFromKafka(kafka.bootstrapServers(), name);
    String upsert =
        "\"upsertConfig\": {\"mode\": \"FULL\", \"comparisonColumns\": [\"ts\"],"
            + " \"snapshot\": \"ENABLE\", \"preload\": \"%s\"},".formatted(preload);
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU(name),
            Tables.configOfRealtime(name, stream, upsert, "strictReplicaGroup"),
            directory);
    assertRows(load, values(1, 1, 1));
    return load;
  }

  private static void send(String topic, int key, int v, long ts) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      String value = "{\"id\": \"k%d\", \"v\": %d, \"ts\": %d}".formatted(key, v, BASE + ts);
      producer.send(new ProducerRecord<>(topic, "k" + key, value));
    }
  }
}

package dev.tidemark.quickstart.embedded.pinot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedPinotITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> PROGRESS = new ArrayList<>();

  private static Set<Thread> threadsBefore = Set.of();
  private static EmbeddedPinot pinot;

  @TempDir Path directory;

  @BeforeAll
  static void startPinot() {
    threadsBefore = NonDaemonThreads.now();
    pinot = EmbeddedPinot.builder().servers(2).progress(PROGRESS::add).start();
  }

  @AfterAll
  static void closeLeavesNoThreadAndNoDirectory() {
    Path data = pinot.deepStore().getParent();
    pinot.close();
    NonDaemonThreads.awaitOnly(threadsBefore, PATIENCE);
    assertThat(data).doesNotExist();
    pinot.close();
  }

  @Test
  void progressSaysWhatIsUpAndWhere() {
    assertThat(PROGRESS)
        .singleElement()
        .asString()
        .matches(
            "Pinot 1\\.5\\.1 up after \\d+\\.\\d s: controller %s, broker %s, 2 servers"
                .formatted(pinot.controllerUrl(), pinot.brokerUrl()));
  }

  @Test
  void brokerIsFoundThroughTheController() {
    RemotePinot remote = RemotePinot.at(pinot.controllerUrl() + "/");
    assertThat(remote.controllerUrl()).isEqualTo(pinot.controllerUrl());
    assertThat(remote.brokerUrl()).isEqualTo(pinot.brokerUrl());
  }

  @Test
  void rowsOfAPushedSegmentAreThere() throws Exception {
    String schema = TestTables.schemaOfA("pushed");
    String config = TestTables.configOfA("pushed", 2);
    pinot.tables().create(schema, config);
    assertThat(pinot.queries().count("pushed")).isZero();

    Path tar =
        TestSegments.build(
            schema,
            config,
            "pushed_0",
            List.of(
                Map.of("id", 1, "v", 10, "tags", new Object[] {1L, 2L}),
                Map.of("id", 2, "v", 20, "tags", new Object[] {3L})),
            directory);
    TestSegments.pushTar(pinot, tar, "pushed");

    pinot.tables().awaitLoaded("pushed_OFFLINE", PATIENCE);
    patiently()
        .untilAsserted(
            () ->
                assertThat(
                        pinot.queries().rows("SELECT id, v, tags FROM pushed ORDER BY id LIMIT 10"))
                    .containsExactly(List.of(1, 10, List.of(1L, 2L)), List.of(2, 20, List.of(3L))));
  }

  @Test
  void metadataPushCopiesTheSegmentIntoTheDeepStore() throws Exception {
    String schema = TestTables.schemaOfA("copied");
    String config = TestTables.configOfA("copied", 1);
    pinot.tables().create(schema, config);
    Path tar =
        TestSegments.build(
            schema,
            config,
            "copied_0",
            List.of(Map.of("id", 7, "v", 70, "tags", new Object[] {7L})),
            directory);

    TestSegments.pushMetadata(pinot, tar, "copied");

    assertThat(pinot.deepStore().resolve("copied")).isDirectoryContaining(Files::isRegularFile);
    Files.delete(tar);
    patiently().until(() -> pinot.queries().count("copied") == 1);
  }

  @Test
  void droppedTableCanBeCreatedAgainAtOnce() throws Exception {
    String schema = TestTables.schemaOfA("again");
    String config = TestTables.configOfA("again", 2);
    pinot.tables().create(schema, config);
    Path tar =
        TestSegments.build(
            schema,
            config,
            "again_0",
            List.of(Map.of("id", 1, "v", 1, "tags", new Object[] {1L})),
            directory);
    TestSegments.pushTar(pinot, tar, "again");
    patiently().until(() -> pinot.queries().count("again") == 1);

    pinot.tables().drop("again_OFFLINE");
    pinot.tables().create(schema, config);

    assertThat(pinot.queries().count("again")).isZero();
    TestSegments.pushTar(pinot, tar, "again");
    patiently().until(() -> pinot.queries().count("again") == 1);
  }

  @Test
  void refusalsOfPinotComeOutWithItsReason() {
    assertThatThrownBy(() -> pinot.queries().rows("SELECT nonsense FROM nowhere"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SELECT nonsense FROM nowhere")
        .hasMessageContaining("nowhere");
    assertThatThrownBy(
            () ->
                pinot
                    .tables()
                    .create(TestTables.schemaOfA("refused"), TestTables.configOfA("refused", 9)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Cannot create a table: status 400");
    pinot.tables().drop("never_OFFLINE");
  }

  @ParameterizedTest(name = "preload {0}")
  @ValueSource(strings = {"DISABLE", "ENABLE"})
  void upsertsFromKafkaSurviveCommitsAndRestartsOfServers(String preload) {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("orders", 2);
      Map<String, String> stream = pinot.jsonFromKafka(kafka.bootstrapServers(), "orders");
      pinot
          .tables()
          .create(
              TestTables.schemaOfU("orders"), TestTables.configOfU("orders", 2, stream, preload));
      String query = "SELECT id, v, ts FROM orders ORDER BY id LIMIT 100";

      send(kafka, 8, 1, 100);
      send(kafka, 4, 2, 200);
      patiently().untilAsserted(() -> assertThat(rows(query)).isEqualTo(orders(4)));

      pinot.tables().forceCommit("orders_REALTIME", PATIENCE);
      send(kafka, 6, 3, 50);
      send(kafka, 6, 2, 200);
      patiently().untilAsserted(() -> assertThat(rows(query)).isEqualTo(orders(6)));
      patiently().untilAsserted(() -> assertThat(segments("orders")).hasSize(4));

      for (int server = 0; server < pinot.servers(); server++) {
        pinot.restartServer(server);
        pinot.tables().awaitLoaded("orders_REALTIME", PATIENCE);
        patiently().untilAsserted(() -> assertThat(rows(query)).isEqualTo(orders(6)));
      }
      // A commit needs the way to the controller that was found before the restarts.
      pinot.tables().forceCommit("orders_REALTIME", PATIENCE);
      patiently().untilAsserted(() -> assertThat(rows(query)).isEqualTo(orders(6)));
      pinot.tables().drop("orders_REALTIME");
    }
  }

  @Test
  void commitsGoOnAfterAnotherClusterCameAndWent() {
    EmbeddedPinot.builder().start().close();
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("orders", 1);
      Map<String, String> stream = pinot.jsonFromKafka(kafka.bootstrapServers(), "orders");
      pinot
          .tables()
          .create(TestTables.schemaOfU("after"), TestTables.configOfU("after", 1, stream));
      send(kafka, 8, 1, 100);
      patiently().until(() -> pinot.queries().count("after") == 8);
      pinot.tables().forceCommit("after_REALTIME", PATIENCE);
      patiently().until(() -> pinot.queries().count("after") == 8);
      pinot.tables().drop("after_REALTIME");
    }
  }

  /** A broker refuses queries until it hears of segments and servers that are there. */
  private static ConditionFactory patiently() {
    return await().atMost(PATIENCE).ignoreException(IllegalStateException.class);
  }

  private static List<List<@Nullable Object>> rows(String query) {
    return pinot.queries().rows(query);
  }

  // Keys o1..o8; the first ones were updated.
  private static List<List<@Nullable Object>> orders(int updated) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int id = 1; id <= 8; id++) {
      rows.add(id <= updated ? List.of("o" + id, 2, 200L) : List.of("o" + id, 1, 100L));
    }
    return rows;
  }

  private static void send(EmbeddedKafka kafka, int keys, int v, long ts) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int id = 1; id <= keys; id++) {
        String row = "{\"id\": \"o%d\", \"v\": %d, \"ts\": %d}".formatted(id, v, ts);
        producer.send(new ProducerRecord<>("orders", "o" + id, row));
      }
    }
  }

  private static Set<Object> segments(String table) {
    return Set.copyOf(
        rows(
            "SET skipUpsert=true; SELECT $segmentName, COUNT(*) FROM "
                + table
                + " GROUP BY $segmentName LIMIT 100"));
  }
}

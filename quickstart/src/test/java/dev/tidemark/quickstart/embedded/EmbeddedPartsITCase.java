package dev.tidemark.quickstart.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPartsITCase {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final List<String> PROGRESS = new ArrayList<>();

  private static EmbeddedParts parts;

  @TempDir Path state;

  @BeforeAll
  static void startParts() {
    parts = EmbeddedParts.start(PROGRESS::add);
  }

  @AfterAll
  static void closeParts() {
    parts.close();
    assertThat(ProcessHandle.current().descendants()).isEmpty();
  }

  @Test
  void progressSaysWhatIsUpAndWhere() {
    assertThat(PROGRESS)
        .anySatisfy(
            line ->
                assertThat(line)
                    .matches(
                        "MariaDB 11\\.4\\.5 up on 127\\.0\\.0\\.1:%d after \\d+\\.\\d s"
                            .formatted(parts.mariaDb().port())))
        .anySatisfy(
            line ->
                assertThat(line)
                    .matches(
                        "Kafka 4\\.1\\.1 up on %s after \\d+\\.\\d s"
                            .formatted(parts.kafka().bootstrapServers())));
  }

  @Test
  void binaryLogHasWholeRowsAndStrictGtids() throws SQLException {
    try (Connection connection = parts.mariaDb().connect("settings");
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT CONCAT_WS(' ', @@log_bin, @@binlog_format, @@binlog_row_image,"
                    + " @@gtid_strict_mode, @@time_zone, @@character_set_server)")) {
      row.next();
      assertThat(row.getString(1)).isEqualTo("ON ROW FULL ON +00:00 utf8mb4");
    }
  }

  @Test
  void rowsBeforeAndAfterTheSnapshotArriveWithTheirKeysInKafkasPartitions() throws SQLException {
    createTable("shop.orders");
    insert("shop.orders", 1, 20);
    parts.kafka().createTopic("orders.shop.orders", 3);
    EmbeddedDebeziumBuilder settings =
        parts.debezium().tables("shop.orders").topicPrefix("orders").stateDirectory(state);
    try (EmbeddedDebezium debezium = settings.start();
        TopicReader reader = new TopicReader(parts.kafka(), "orders.shop.orders", 3)) {
      debezium.awaitStreaming(TIMEOUT);
      insert("shop.orders", 21, 40);

      await().atMost(TIMEOUT).until(() -> reader.keys().size() == 40);
      assertThat(reader.keys()).containsExactlyInAnyOrderElementsOf(keys(1, 40));
      assertThat(reader.records()).allSatisfy(EmbeddedPartsITCase::isInPartitionOfItsKey);
      assertThat(reader.records())
          .allSatisfy(
              event ->
                  assertThat(event.headers().lastHeader("__debezium.context.connectorName").value())
                      .isEqualTo("\"mariadb\"".getBytes(StandardCharsets.UTF_8)));
      assertThat(debezium.failure()).isEmpty();
    }
  }

  private static void isInPartitionOfItsKey(ConsumerRecord<String, String> event) {
    byte[] key = event.key().getBytes(StandardCharsets.UTF_8);
    assertThat(event.partition()).isEqualTo(Utils.toPositive(Utils.murmur2(key)) % 3);
  }

  @Test
  void timestampsOfSnapshotAndStreamAreTheSameInAnyTimeZone() throws SQLException {
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
    execute("CREATE TABLE shop.moments (id INT PRIMARY KEY, at TIMESTAMP(6) NULL)");
    insertMoment(1);
    EmbeddedDebeziumBuilder settings =
        parts.debezium().tables("shop.moments").topicPrefix("moments").stateDirectory(state);
    try (EmbeddedDebezium debezium = settings.start();
        TopicReader reader = new TopicReader(parts.kafka(), "moments.shop.moments", 1)) {
      debezium.awaitStreaming(TIMEOUT);
      insertMoment(2);

      await().atMost(TIMEOUT).until(() -> reader.records().size() == 2);
      assertThat(reader.records())
          // The stream writes the fraction also when it is zero.
          .allSatisfy(
              e ->
                  assertThat(e.value())
                      .containsPattern("\"at\":\"2026-03-01T10:00:00(\\.000000)?Z\""));
    } finally {
      TimeZone.setDefault(before);
    }
  }

  private static void insertMoment(int id) throws SQLException {
    try (Connection connection = parts.mariaDb().connect("shop");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO shop.moments VALUES (?, ?)")) {
      insert.setInt(1, id);
      insert.setTimestamp(2, Timestamp.from(Instant.parse("2026-03-01T10:00:00Z")));
      insert.executeUpdate();
    }
  }

  @Test
  void truncateAndTransactionsArrive() throws SQLException {
    createTable("shop.cleared");
    EmbeddedDebeziumBuilder settings =
        parts.debezium().tables("shop.cleared").topicPrefix("cleared").stateDirectory(state);
    try (EmbeddedDebezium debezium = settings.start();
        TopicReader events = new TopicReader(parts.kafka(), "cleared.shop.cleared", 1);
        TopicReader transactions = new TopicReader(parts.kafka(), "cleared.transaction", 1)) {
      debezium.awaitStreaming(TIMEOUT);
      execute("INSERT INTO shop.cleared VALUES (1, 'a')", "TRUNCATE shop.cleared");

      await().atMost(TIMEOUT).until(() -> events.records().size() == 2);
      assertThat(events.records().get(1).value()).contains("\"op\":\"t\"");
      await().atMost(TIMEOUT).until(() -> transactions.records().size() >= 2);
      assertThat(transactions.records().get(0).value()).contains("\"status\":\"BEGIN\"");
    }
  }

  @Test
  void restartOfDebeziumLosesNothingThatIsWrittenMeanwhile() throws Exception {
    createTable("shop.events");
    AtomicBoolean enough = new AtomicBoolean();
    EmbeddedDebeziumBuilder settings =
        parts.debezium().tables("shop.events").topicPrefix("events").stateDirectory(state);
    try (TopicReader reader = new TopicReader(parts.kafka(), "events.shop.events", 1)) {
      CompletableFuture<Integer> written;
      try (EmbeddedDebezium first = settings.start()) {
        first.awaitStreaming(TIMEOUT);
        written = CompletableFuture.supplyAsync(() -> insertUntil(enough, "shop.events"));
        await().atMost(TIMEOUT).until(() -> reader.records().size() > 50);
      }
      int beforeRestart = reader.records().size();
      try (EmbeddedDebezium second = settings.start()) {
        await().atMost(TIMEOUT).until(() -> reader.records().size() > beforeRestart + 50);
        enough.set(true);
        Set<String> missing = new TreeSet<>(keys(1, written.get()));
        await()
            .atMost(TIMEOUT)
            .untilAsserted(
                () -> {
                  reader.keys().forEach(missing::remove);
                  assertThat(missing).isEmpty();
                });
        assertThat(second.failure()).isEmpty();
      }
      // Both ends were in order, so there are no repetitions either.
      assertThat(reader.keys()).doesNotHaveDuplicates();
      assertThat(reader.records()).noneSatisfy(e -> assertThat(e.value()).contains("\"op\":\"r\""));
    }
  }

  @Test
  void rowsBetweenTwoEnginesWithoutSnapshotArrive() throws SQLException {
    createTable("shop.later");
    insert("shop.later", 1, 5);
    EmbeddedDebeziumBuilder settings =
        parts
            .debezium()
            .tables("shop.later")
            .topicPrefix("later")
            .snapshotMode("no_data")
            .stateDirectory(state);
    try (EmbeddedDebezium first = settings.start()) {
      first.awaitStreaming(TIMEOUT);
    }
    insert("shop.later", 6, 10);
    try (EmbeddedDebezium second = settings.start();
        TopicReader reader = new TopicReader(parts.kafka(), "later.shop.later", 1)) {
      second.awaitStreaming(TIMEOUT);
      await().atMost(TIMEOUT).until(() -> reader.keys().size() >= 5);
      assertThat(reader.keys()).isEqualTo(keys(6, 10));
    }
  }

  @Test
  void debeziumCanBeClosedWhileItStarts() {
    EmbeddedDebeziumBuilder settings =
        parts.debezium().tables("shop.none").topicPrefix("brief").stateDirectory(state);
    EmbeddedDebezium debezium = settings.start();
    debezium.close();
    assertThat(debezium.failure()).isEmpty();
    assertThat(debezium.end()).isDone();
    debezium.close();
  }

  @Test
  void heartbeatGivesEventsWhenNobodyWrites() throws SQLException {
    createTable("shop.quiet");
    EmbeddedDebeziumBuilder settings =
        parts
            .debezium()
            .tables("shop.quiet")
            .topicPrefix("quiet")
            .heartbeat("shop.beat", Duration.ofMillis(200))
            .stateDirectory(state);
    try (EmbeddedDebezium debezium = settings.start();
        TopicReader beats = new TopicReader(parts.kafka(), "quiet.shop.beat", 1)) {
      await().atMost(TIMEOUT).until(() -> beats.records().size() >= 3);
      assertThat(debezium.failure()).isEmpty();
    }
  }

  @Test
  void wrongPasswordComesOutOfTheEngine() {
    EmbeddedDebeziumBuilder settings =
        parts
            .debezium()
            .tables("shop.orders")
            .topicPrefix("wrong")
            .property("database.password", "wrong")
            .stateDirectory(state);
    try (EmbeddedDebezium debezium = settings.start()) {
      assertThatThrownBy(() -> debezium.awaitStreaming(TIMEOUT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Debezium wrong ended by itself")
          .hasMessageContaining("Access denied for user 'cdc'");
      assertThat(debezium.failure()).isPresent();
      assertThat(debezium.end()).isCompletedExceptionally();
    }
  }

  @Test
  void refusalOfKafkaEndsTheEngine() throws Exception {
    createTable("shop.refused");
    EmbeddedDebeziumBuilder settings =
        parts.debezium().tables("shop.refused").topicPrefix("refused").stateDirectory(state);
    // TRUNCATE has no key, and a compacted topic takes no record without one.
    parts.kafka().createTopic("refused.shop.refused", 1);
    setTopicOption("refused.shop.refused", "cleanup.policy", "compact");
    try (EmbeddedDebezium debezium = settings.start()) {
      debezium.awaitStreaming(TIMEOUT);
      execute("TRUNCATE shop.refused");
      await().atMost(TIMEOUT).until(() -> debezium.failure().isPresent());
      assertThat(debezium.failure().orElseThrow())
          .hasStackTraceContaining("Cannot write a change event to Kafka")
          .hasStackTraceContaining("InvalidRecordException");
    }
  }

  @Test
  void missingSettingIsNamed() {
    assertThatThrownBy(() -> parts.debezium().stateDirectory(state).start())
        .hasMessage("tables: none (expected: at least one database.table)");
    assertThatThrownBy(() -> parts.debezium().tables("a.b").start())
        .hasMessage("stateDirectory: none (expected: a directory)");
  }

  @Test
  void kafkaKeepsDataAndPortOverARestart() {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("kept", 2);
      int port = kafka.port();
      kafka.stop();
      assertThat(isListening(port)).isFalse();
      // Its port is any connection's to have while nobody listens.
      await()
          .atMost(TIMEOUT)
          .ignoreException(IllegalStateException.class)
          .untilAsserted(kafka::restart);
      assertThat(kafka.port()).isEqualTo(port);
      assertThatThrownBy(() -> kafka.createTopic("kept", 2)).hasMessageContaining("already exists");
    }
  }

  @Test
  void secondMariaDbIsCopiedFromTheTemplate() throws SQLException {
    List<String> progress = new ArrayList<>();
    try (EmbeddedMariaDb second = EmbeddedMariaDb.start(progress::add);
        Connection connection = second.connect("other")) {
      assertThat(progress).isEmpty();
      assertThat(second.port()).isNotEqualTo(parts.mariaDb().port());
      assertThat(connection.isValid(1)).isTrue();
    }
  }

  @Test
  void closeLeavesNoProcessNoPortAndNoDirectory() throws IOException {
    Set<Long> processes = childProcesses();
    Set<Path> directories = directories();
    assertThat(directories).hasSize(2);
    EmbeddedParts others = EmbeddedParts.start(line -> {});
    others.close();
    assertThat(childProcesses()).isEqualTo(processes);
    assertThat(directories()).isEqualTo(directories);
    assertThat(isListening(others.mariaDb().port())).isFalse();
    assertThat(isListening(others.kafka().port())).isFalse();
    others.close();
  }

  @Test
  void partThatDoesNotStartClosesTheOther() throws IOException {
    Set<Path> directories = directories();
    Set<Long> processes = childProcesses();
    Path file = Files.createFile(state.resolve("not-a-directory"));
    System.setProperty(EmbeddedMariaDb.CACHE_DIR_PROPERTY, file.toString());
    try {
      assertThatThrownBy(() -> EmbeddedParts.start(line -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Cannot unpack MariaDB into " + file)
          .hasMessageContaining("-Dtidemark.cache.dir");
    } finally {
      System.clearProperty(EmbeddedMariaDb.CACHE_DIR_PROPERTY);
    }
    assertThat(directories()).isEqualTo(directories);
    assertThat(childProcesses()).isEqualTo(processes);
  }

  @Test
  void partsCloseInReverseOrderAlsoWhenOneThrows() {
    List<String> closed = new ArrayList<>();
    EmbeddedParts others = EmbeddedParts.start(line -> {});
    others.closing(() -> closed.add("first"));
    others.closing(
        () -> {
          throw new IOException("stuck");
        });
    others.closing(() -> closed.add(isListening(others.kafka().port()) ? "last" : "too late"));
    assertThatThrownBy(others::close).hasRootCauseMessage("stuck");
    assertThat(closed).containsExactly("last", "first");
    assertThat(isListening(others.mariaDb().port())).isFalse();
  }

  private static void setTopicOption(String topic, String key, String value) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    AlterConfigOp option = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", parts.kafka().bootstrapServers()))) {
      admin.incrementalAlterConfigs(Map.of(resource, List.of(option))).all().get();
    }
  }

  private static void createTable(String table) throws SQLException {
    execute("CREATE TABLE " + table + " (id INT PRIMARY KEY, name VARCHAR(20))");
  }

  private static void insert(String table, int from, int to) throws SQLException {
    for (int id = from; id <= to; id++) {
      execute("INSERT INTO %s VALUES (%d, 'row')".formatted(table, id));
    }
  }

  private static int insertUntil(AtomicBoolean enough, String table) {
    int id = 0;
    try (Connection connection = parts.mariaDb().connect("shop");
        Statement statement = connection.createStatement()) {
      while (!enough.get()) {
        id++;
        statement.execute("INSERT INTO %s VALUES (%d, 'row')".formatted(table, id));
      }
      return id;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void execute(String... statements) throws SQLException {
    try (Connection connection = parts.mariaDb().connect("shop");
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  private static List<String> keys(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj("{\"id\":%d}"::formatted).toList();
  }

  private static Set<Long> childProcesses() {
    return ProcessHandle.current()
        .descendants()
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  private static Set<Path> directories() throws IOException {
    String ours = "tidemark-(mariadb|kafka)-%d-.*".formatted(ProcessHandle.current().pid());
    try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return all.filter(path -> path.getFileName().toString().matches(ours))
          .collect(Collectors.toSet());
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}

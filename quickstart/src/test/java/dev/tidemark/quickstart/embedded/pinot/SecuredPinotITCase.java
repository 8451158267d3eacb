package dev.tidemark.quickstart.embedded.pinot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Pinot with one user, in a directory that stays. */
class SecuredPinotITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path directory;

  private static EmbeddedPinot pinot;

  @TempDir Path work;

  @BeforeAll
  static void startPinot() {
    pinot =
        EmbeddedPinot.builder()
            .directory(directory.resolve("pinot"))
            .basicAuth("tide", "s3cret")
            .start();
  }

  @AfterAll
  static void closeLeavesADirectoryThatWasGiven() {
    pinot.close();
    assertThat(directory.resolve("pinot")).isNotEmptyDirectory();
    assertThatThrownBy(() -> EmbeddedPinot.builder().directory(directory.resolve("pinot")).start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("directory: " + directory.resolve("pinot") + " (expected: empty)");
  }

  @Test
  void letsInNobodyWithoutTheRightHeader() {
    RemotePinot stranger = RemotePinot.at(pinot.controllerUrl(), pinot.brokerUrl());
    assertThatThrownBy(() -> stranger.tables().drop("any_OFFLINE"))
        .hasMessageContaining("status 403");
    assertThatThrownBy(() -> stranger.queries().count("any")).hasMessageContaining("status 401");
    assertThatThrownBy(() -> RemotePinot.at(pinot.controllerUrl()))
        .hasMessageContaining("status 401");
  }

  @Test
  void serversFetchSegments() throws Exception {
    String schema = TestTables.schemaOfA("locked");
    String config = TestTables.configOfA("locked", 1);
    pinot.tables().create(schema, config);
    Path tar =
        TestSegments.build(
            schema,
            config,
            "locked_0",
            List.of(Map.of("id", 1, "v", 1, "tags", new Object[] {1L})),
            work);
    TestSegments.pushTar(pinot, tar, "locked");
    await()
        .atMost(PATIENCE)
        .ignoreException(IllegalStateException.class)
        .until(() -> pinot.queries().count("locked") == 1);
  }

  @Test
  void serversCommitWhatTheyConsume() {
    try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
      kafka.createTopic("secret", 1);
      Map<String, String> stream = pinot.jsonFromKafka(kafka.bootstrapServers(), "secret");
      pinot
          .tables()
          .create(TestTables.schemaOfU("secret"), TestTables.configOfU("secret", 1, stream));
      try (KafkaProducer<String, String> producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", kafka.bootstrapServers()),
              new StringSerializer(),
              new StringSerializer())) {
        producer.send(
            new ProducerRecord<>("secret", "o1", "{\"id\": \"o1\", \"v\": 1, \"ts\": 1}"));
      }
      await()
          .atMost(PATIENCE)
          .ignoreException(IllegalStateException.class)
          .until(() -> pinot.queries().count("secret") == 1);
      pinot.tables().forceCommit("secret_REALTIME", PATIENCE);
      assertThat(pinot.queries().count("secret")).isEqualTo(1);
      pinot.tables().drop("secret_REALTIME");
    }
  }
}

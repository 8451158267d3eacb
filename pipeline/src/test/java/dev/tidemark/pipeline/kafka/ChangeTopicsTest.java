package dev.tidemark.pipeline.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.event.BinlogPosition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChangeTopicsTest {
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"hush\";";

  @Test
  void textHasTopicsServersAndStartButNothingThatLogsIn() {
    ChangeTopics topics =
        ChangeTopics.of("kafka-1:9092,kafka-2:9092", "shop.orders", "heartbeat")
            .with("sasl.jaas.config", LOGIN)
            .with("ssl.key.password", "hush")
            .with("ssl.truststore.password", "hush");
    assertThat(topics)
        .hasToString(
            "[shop.orders, heartbeat] of kafka-1:9092,kafka-2:9092 from their first record");
    BinlogPosition position = BinlogPosition.parse("0-1-42@2026-01-01T10:10:00.123Z");
    assertThat(topics.startingAfter(position).toString())
        .endsWith(" from " + position)
        .doesNotContain("hush", "sasl", "ssl");
    assertThat(topics.startingAfter(position).client()).containsEntry("sasl.jaas.config", LOGIN);
  }

  @Test
  void messageOfWhatIsMissingTellsNoSecretEither() {
    assertThatThrownBy(
            () -> new ChangeTopics(Map.of("ssl.key.password", "hush"), List.of("t"), null))
        .hasMessage("bootstrap.servers is missing");
    assertThatThrownBy(() -> new ChangeTopics(Map.of("bootstrap.servers", "k"), List.of(), null))
        .hasMessageContaining("Missing topics");
  }
}

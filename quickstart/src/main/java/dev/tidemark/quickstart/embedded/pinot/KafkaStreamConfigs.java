package dev.tidemark.quickstart.embedded.pinot;

import java.util.Map;

/** The entries of a table config that name a topic and the classes that read it. */
final class KafkaStreamConfigs {
  static final String BOOTSTRAP_SERVERS = "stream.kafka.broker.list";

  private static final String RELEASED = "org.apache.pinot.plugin.";

  private KafkaStreamConfigs() {}

  /** With the classes of this package. */
  static Map<String, String> embedded(String bootstrapServers, String topic) {
    return of(
        bootstrapServers, topic, KafkaStream.class.getName(), JsonMessageDecoder.class.getName());
  }

  /** With the plugins of a released Pinot. */
  static Map<String, String> released(String bootstrapServers, String topic) {
    return of(
        bootstrapServers,
        topic,
        RELEASED + "stream.kafka30.KafkaConsumerFactory",
        RELEASED + "inputformat.json.JSONMessageDecoder");
  }

  private static Map<String, String> of(
      String bootstrapServers, String topic, String consumers, String decoder) {
    return Map.of(
        "streamType",
        "kafka",
        "stream.kafka.topic.name",
        topic,
        BOOTSTRAP_SERVERS,
        bootstrapServers,
        "stream.kafka.consumer.type",
        "lowlevel",
        "stream.kafka.consumer.prop.auto.offset.reset",
        "smallest",
        "stream.kafka.consumer.factory.class.name",
        consumers,
        "stream.kafka.decoder.class.name",
        decoder);
  }
}

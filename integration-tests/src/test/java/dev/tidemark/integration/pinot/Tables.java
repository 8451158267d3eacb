package dev.tidemark.integration.pinot;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.JsonUtils;
import org.awaitility.core.ConditionFactory;

/** The tables of the public bug reports on a real Pinot, each test with one of its own. */
final class Tables {
  static final long TIME = 1_767_225_600_000L;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final ObjectMapper JSON = new ObjectMapper();

  private Tables() {}

  /** A table as a test sees it. */
  record Created(String name, String schemaJson, String configJson) {
    Schema schema() throws Exception {
      return Schema.fromString(schemaJson);
    }

    TableConfig config() throws Exception {
      return JsonUtils.stringToObject(configJson, TableConfig.class);
    }

    long number(String select) {
      return pinot().queries().number(select + " FROM " + name + " LIMIT 1000");
    }

    /** The values of a column by those of another. */
    Map<String, String> byKey(String key, String value) {
      Map<String, String> rows = new TreeMap<>();
      pinot()
          .queries()
          .rows("SELECT " + key + ", " + value + " FROM " + name + " LIMIT 1000")
          .forEach(row -> rows.put(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
      return rows;
    }
  }

  /** Waits for Pinot: a broker refuses queries until it hears of segments that are there. */
  static ConditionFactory patiently() {
    return await().atMost(PATIENCE).ignoreException(IllegalStateException.class);
  }

  static PinotCluster pinot() {
    return SharedPinot.get();
  }

  /** Table A: OFFLINE, {@code id INT, v INT}, no time column. */
  static Created offline() {
    String name = "flink_a_" + COUNT.incrementAndGet();
    String schema =
        """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [{"name": "id", "dataType": "INT"}, {"name": "v", "dataType": "INT"}]}
        """
            .formatted(name);
    String config =
        """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "2", "segmentPushType": "APPEND"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {}}
        """
            .formatted(name);
    pinot().tables().create(schema, config);
    return new Created(name, schema, config);
  }

  /** OFFLINE, places with their coordinates, names and addresses, as the quick start has them. */
  static Created places() {
    String name = "flink_p_" + COUNT.incrementAndGet();
    String schema =
        """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [
           {"name": "lon", "dataType": "FLOAT"}, {"name": "lat", "dataType": "FLOAT"},
           {"name": "name", "dataType": "STRING"}, {"name": "address", "dataType": "STRING"}]}
        """
            .formatted(name);
    String config =
        """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE", "segmentsConfig": {"replication": "1"},
         "tenants": {}, "tableIndexConfig": {"noDictionaryColumns": ["lon", "lat"]}, "metadata": {}}
        """
            .formatted(name);
    pinot().tables().create(schema, config);
    return new Created(name, schema, config);
  }

  /** OFFLINE, {@code id INT, v INT, ts LONG}, which is its time; rows are kept for some days. */
  static Created offlineWithRetention(int days) {
    String name = "flink_r_" + COUNT.incrementAndGet();
    String schema =
        """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [{"name": "id", "dataType": "INT"}, {"name": "v", "dataType": "INT"}],
         "dateTimeFieldSpecs": [
           {"name": "ts", "dataType": "LONG", "format": "1:MILLISECONDS:EPOCH", "granularity": "1:MILLISECONDS"}]}
        """
            .formatted(name);
    String config =
        """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "2", "segmentPushType": "APPEND", "timeColumnName": "ts",
           "retentionTimeUnit": "DAYS", "retentionTimeValue": "%d"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {}}
        """
            .formatted(name, days);
    pinot().tables().create(schema, config);
    return new Created(name, schema, config);
  }

  /**
   * Table U: REALTIME with full upsert by {@code id}, over a topic of its own.
   *
   * @param keyType of the primary key: {@code STRING} or {@code INT}
   */
  static Created upsert(EmbeddedKafka kafka, String keyType, int partitions) throws Exception {
    return upsert(kafka, keyType, partitions, "\"comparisonColumns\": [\"ts\"]");
  }

  /**
   * The same with other rules of upsert, and a delete column {@code gone}.
   *
   * @param rules entries of {@code upsertConfig}
   */
  static Created upsert(EmbeddedKafka kafka, String keyType, int partitions, String rules)
      throws Exception {
    String name = "flink_u_" + COUNT.incrementAndGet();
    kafka.createTopic(name, partitions);
    String schema =
        """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [{"name": "id", "dataType": "%s"}, {"name": "v", "dataType": "INT"},
           {"name": "gone", "dataType": "BOOLEAN"}],
         "dateTimeFieldSpecs": [
           {"name": "ts", "dataType": "LONG", "format": "1:MILLISECONDS:EPOCH", "granularity": "1:MILLISECONDS"}],
         "primaryKeyColumns": ["id"]}
        """
            .formatted(name, keyType);
    Map<String, String> stream =
        new HashMap<>(pinot().jsonFromKafka(kafka.bootstrapServers(), name));
    String config =
        """
        {"tableName": "%s_REALTIME", "tableType": "REALTIME",
         "segmentsConfig": {"replication": "2", "timeColumnName": "ts"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {},
         "routing": {"instanceSelectorType": "strictReplicaGroup"},
         "upsertConfig": {"mode": "FULL", %s},
         "ingestionConfig": {"streamIngestionConfig": {"streamConfigMaps": [%s]}}}
        """
            .formatted(name, rules, json(stream));
    pinot().tables().create(schema, config);
    return new Created(name, schema, config);
  }

  /** One message. */
  record Message(int partition, String key, Map<String, Object> row) {}

  /** Sends messages to these partitions, whatever the producer's own partitioner would do. */
  static void send(EmbeddedKafka kafka, String topic, List<Message> messages) throws Exception {
    Map<String, Object> settings =
        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (Message message : messages) {
        producer.send(
            new ProducerRecord<>(topic, message.partition(), message.key(), json(message.row())));
      }
      producer.flush();
    }
  }

  static String json(Map<String, ?> object) {
    try {
      return JSON.writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}

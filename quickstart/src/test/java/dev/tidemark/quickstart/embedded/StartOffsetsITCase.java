package dev.tidemark.quickstart.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.kafka.PositionLostException;
import dev.tidemark.pipeline.kafka.StartOffsets;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A position of the source becomes offsets of a real Kafka topic. */
class StartOffsetsITCase {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static EmbeddedKafka kafka;

  @BeforeAll
  static void start() {
    kafka = EmbeddedKafka.start();
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @Test
  void eachPartitionStartsAtItsFirstChangeAfterThePosition() throws Exception {
    kafka.createTopic("exact", 4);
    for (int sequence = 1; sequence <= 40; sequence++) {
      send("exact", sequence % 3, sequence);
    }
    // Partition 3 has nothing; clocks that are hours off change nothing.
    for (int hours : new int[] {-5, 0, 5}) {
      assertThat(offsets("exact", 20, START.plus(Duration.ofHours(hours))))
          .isEqualTo(
              Map.of(
                  partition("exact", 0), 6L,
                  partition("exact", 1), 7L,
                  partition("exact", 2), 7L,
                  partition("exact", 3), 0L));
    }
    assertThat(offsets("exact", 40, START)).containsEntry(partition("exact", 1), 14L);
  }

  /** As that of a replica that is behind: its time is its own now, long after the next changes. */
  @Test
  void positionFarBehindItsTimeIsFound() throws Exception {
    kafka.createTopic("behind", 1);
    send("behind", 0, LongStream.rangeClosed(1, 4_000).toArray());
    assertThat(offsets("behind", 500, START.plus(Duration.ofMinutes(3_500))))
        .containsEntry(partition("behind", 0), 500L);
  }

  /** In steps that double; steps of one length would be forty here, and ten thousand elsewhere. */
  @Test
  void positionVeryFarBehindNeedsFewSteps() throws Exception {
    kafka.createTopic("far", 1);
    send("far", 0, LongStream.rangeClosed(1, 40_000).toArray());
    AtomicInteger seeks = new AtomicInteger();
    try (KafkaConsumer<byte[], byte[]> counting =
        new KafkaConsumer<>(
            properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer()) {
          @Override
          public void seek(TopicPartition partition, long offset) {
            seeks.incrementAndGet();
            super.seek(partition, offset);
          }
        }) {
      assertThat(offsets(counting, "far", 500, START.plus(Duration.ofMinutes(39_500))))
          .containsEntry(partition("far", 0), 500L);
    }
    assertThat(seeks).as("steps").hasValueBetween(2, 8);
  }

  @Test
  void positionThatRetentionHasDroppedIsRefused() throws Exception {
    kafka.createTopic("dropped", 1);
    for (int sequence = 1; sequence <= 30; sequence++) {
      send("dropped", 0, sequence);
    }
    try (Admin admin = Admin.create(properties())) {
      admin
          .deleteRecords(Map.of(partition("dropped", 0), RecordsToDelete.beforeOffset(20)))
          .all()
          .get();
    }
    assertThat(offsets("dropped", 21, START)).containsEntry(partition("dropped", 0), 21L);
    assertThatThrownBy(() -> offsets("dropped", 10, START))
        .isInstanceOf(PositionLostException.class)
        .hasMessageContaining("first kept offset is 20")
        .hasMessageContaining("promoted needs RESET REPLICA ALL before its dump");
  }

  @Test
  void topicWithoutAChangeUpToThePositionProvesNothingAndSaysSo() throws Exception {
    kafka.createTopic("late", 2);
    send("late", 0, 30, 31);
    PrintStream before = System.err;
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    try {
      assertThat(offsets("late", 20, START))
          .isEqualTo(Map.of(partition("late", 0), 0L, partition("late", 1), 0L));
      assertThat(told.toString(StandardCharsets.UTF_8))
          .contains("Nothing in [late] shows that their connector was started before 0-1-20@")
          .contains("take a new dump");
      told.reset();
      send("late", 1, 20);
      assertThat(offsets("late", 20, START))
          .isEqualTo(Map.of(partition("late", 0), 0L, partition("late", 1), 1L));
      assertThat(told.toString(StandardCharsets.UTF_8)).doesNotContain("their connector");
    } finally {
      System.setErr(before);
    }
  }

  private static Map<TopicPartition, Long> offsets(String topic, long sequence, Instant time) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      return offsets(consumer, topic, sequence, time);
    }
  }

  private static Map<TopicPartition, Long> offsets(
      KafkaConsumer<byte[], byte[]> consumer, String topic, long sequence, Instant time) {
    return new StartOffsets(consumer, Duration.ofMinutes(5), Duration.ofSeconds(30))
        .after(
            consumer.partitionsFor(topic).stream()
                .map(info -> partition(topic, info.partition()))
                .toList(),
            new BinlogPosition(new Gtid(0, 1, sequence), time));
  }

  /** Sends changes, each a minute after the one before it. */
  private static void send(String topic, int partition, long... sequences) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (long sequence : sequences) {
        String value =
            "{\"op\":\"u\",\"source\":{\"gtid\":\"0-1-" + sequence + "\"},\"after\":{\"id\":1}}";
        sent.add(
            producer.send(
                new ProducerRecord<>(
                    topic,
                    partition,
                    START.plusSeconds(60 * sequence).toEpochMilli(),
                    null,
                    value.getBytes(StandardCharsets.UTF_8))));
      }
      for (Future<RecordMetadata> one : sent) {
        one.get();
      }
    }
  }

  private static Properties properties() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", kafka.bootstrapServers());
    return properties;
  }

  private static TopicPartition partition(String topic, int partition) {
    return new TopicPartition(topic, partition);
  }
}

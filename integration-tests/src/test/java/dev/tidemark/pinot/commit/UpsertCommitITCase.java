package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.row;
import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits to REALTIME tables with upsert of a real Pinot, beside a stream. */
class UpsertCommitITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PARTITIONS = 4;
  private static final int REPLICAS = 2;

  /** Pinot takes no segment with times before 1971. */
  private static final long BASE = TestLoad.RUN_START - 86_400_000L;

  private static final AtomicInteger TABLES = new AtomicInteger();
  private static final KeyPartitioner MURMUR =
      (key, partitions) ->
          Utils.toPositive(Utils.murmur2(key.get(0).toString().getBytes(StandardCharsets.UTF_8)))
              % partitions;

  private static EmbeddedKafka kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = SharedKafka.get();
  }

  @Test
  void backfillWithTheStreamsPartitionerUpdatesEveryKey() throws Exception {
    TestLoad load = streamed(8, 1, 100);
    PartitionProof proof = new PartitionProof(MURMUR, KeySamples.fromTable(), false);
    PinotPlan plan = load.plan(b -> b.partitionProof(proof).partitions(PARTITIONS));

    assertThat(
            new PartitionPreflight(proof, load.controller)
                .check(TableShape.read(load.table, load.controller), PARTITIONS))
        .isEqualTo(new PartitionPreflight.Proved(8));
    load.committer(plan).publish(backfill(load, run("truth"), 8, 2, 200));

    assertThat(rows(load)).isEqualTo(orders(8, 2, 200L));
    assertThat(load.number("SELECT COUNT(*) FROM " + load.table.rawName())).isEqualTo(8);
  }

  @Test
  void anotherPartitionerIsRefusedBeforeAnythingIsPushed() throws Exception {
    TestLoad load = streamed(8, 1, 100);
    KeyPartitioner modulo =
        (key, partitions) -> Integer.parseInt(key.get(0).toString().substring(1)) % partitions;
    PartitionProof proof = new PartitionProof(modulo, KeySamples.fromTable(), true);

    assertThatThrownBy(() -> load.committer(load.plan(b -> b.partitionProof(proof))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("of the stream, the declared partitioner puts it into partition");
    assertThatThrownBy(() -> load.committer(load.plan(b -> b.partitions(3))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("splits its rows by 3 partitions, the stream has 4");
  }

  @Test
  void emptyStreamProvesNothingUnlessThatIsAccepted() throws Exception {
    TestLoad load = streamed(0, 1, 100);
    PartitionProof strict = new PartitionProof(MURMUR, KeySamples.fromTable(), false);
    PartitionProof lenient = new PartitionProof(MURMUR, KeySamples.fromTable(), true);

    assertThatThrownBy(() -> load.committer(load.plan(b -> b.partitionProof(strict))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only 0 keys of 4 partitions");
    load.committer(load.plan(b -> b.partitionProof(lenient)));
  }

  @Test
  void secondDeliveryRefreshesNothing() throws Exception {
    TestLoad load = streamed(8, 1, 100);
    PinotCommit commit = backfill(load, run("twice"), 8, 2, 200);
    PinotPlan keeping =
        load.plan(
            b -> b.upload(new PinotPlan.Upload(PushMode.TAR, 2, Duration.ofMinutes(1), false)));
    load.committer(keeping).publish(commit);
    Map<String, SegmentInfo> before = uploaded(load);

    assertThat(load.committer(keeping).publish(TestLoad.again(commit)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);

    assertThat(uploaded(load)).isEqualTo(before);
    assertThat(rows(load)).isEqualTo(orders(8, 2, 200L));
  }

  @Test
  void pushByMetadataStampsTheSame() throws Exception {
    TestLoad load = streamed(8, 1, 100);
    PinotCommit commit = backfill(load, run("meta"), 8, 2, 200);
    load.committer(
            load.plan(
                b ->
                    b.upload(
                        new PinotPlan.Upload(PushMode.METADATA, 3, Duration.ofMinutes(1), true))))
        .publish(commit);

    assertThat(rows(load)).isEqualTo(orders(8, 2, 200L));
    for (StagedSegment segment : commit.segments()) {
      SegmentInfo there = load.controller.segment(load.table, segment.name()).orElseThrow();
      assertThat(there.creationTimeMillis()).isEqualTo(segment.creationTimeMillis());
      assertThat(there.crc()).isEqualTo(segment.crc());
      assertThat(there.downloadUrl()).startsWith("http");
    }
  }

  @Test
  void streamWinsTiesAlsoAfterItsSegmentsAreSealed() throws Exception {
    TestLoad load = streamed(8, 1, 100);
    load.committer(load.plan()).publish(backfill(load, run("ties"), 8, 2, 100));
    assertThat(rows(load)).isEqualTo(orders(8, 1, 100L));

    SharedPinot.get().tables().forceCommit(load.table.nameWithType(), PATIENCE);
    SharedPinot.get().tables().awaitLoaded(load.table.nameWithType(), PATIENCE);
    awaitRows(load, orders(8, 1, 100L));
  }

  @Test
  void backfillThatIsToWinTiesNeedsPausedConsumption() throws Exception {
    TestLoad load = streamed(8, 1, 100);
    assertThatThrownBy(() -> load.committer(load.plan(b -> b.tieRule(TieRule.BACKFILL_WINS))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("paused consumption");
    load.controller.pauseConsumption(load.table);
    await().atMost(PATIENCE).until(() -> load.controller.isPaused(load.table));
    load.committer(load.plan(b -> b.tieRule(TieRule.BACKFILL_WINS)));
    load.controller.resumeConsumption(load.table);
  }

  @Test
  void rewindOfAnUpsertRunGivesTheSameRows() throws Exception {
    TestLoad load = streamed(0, 1, 100);
    Run run = run("wound");
    load.committer(load.plan()).publish(backfill(load, run, 8, 2, 200));
    load.committer(load.plan()).publish(backfill(load, run.restored(0), 8, 3, 300));
    assertThat(rows(load)).isEqualTo(orders(8, 3, 300L));
  }

  @Test
  void tablesThatABackfillWouldHarmAreRefused() throws Exception {
    assertRefused(
        "\"upsertConfig\": {\"mode\": \"PARTIAL\", \"comparisonColumns\": [\"ts\"]},",
        "strictReplicaGroup",
        "its upsert is partial");
    assertRefused(
        "\"dedupConfig\": {\"dedupEnabled\": true},", "strictReplicaGroup", "drops duplicates");
    TestLoad load = streamed(0, 1, 100);
    assertThatThrownBy(() -> load.committer(load.plan(b -> b.replaced(ReplacedSegments.all()))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be replaced");
  }

  @Test
  void realtimeTableWithoutUpsertIsAppendedInOneStep() throws Exception {
    String name = "plain_" + TABLES.incrementAndGet();
    kafka.createTopic(name, 1);
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU(name),
            Tables.configOfRealtime(name, stream(name), "", "balanced"),
            directory);
    Run run = run("plain");
    PinotCommit commit =
        load.commit(
            run,
            1,
            true,
            load.segment(run, 0, 0, List.of(row("id", "a", "v", 1, "ts", BASE))),
            load.segment(run, 1, 0, List.of(row("id", "a", "v", 2, "ts", BASE + 1))));
    load.committer(load.plan()).publish(commit);
    assertThat(load.committer(load.plan()).publish(TestLoad.again(commit)))
        .isInstanceOf(PublishResult.AlreadyPublished.class);
    assertThat(load.number("SELECT COUNT(*) FROM " + name)).isEqualTo(2);
  }

  @Test
  void rowsOutsideTheTtlOrFarAheadAreTold() throws Exception {
    String name = "ttl_" + TABLES.incrementAndGet();
    kafka.createTopic(name, PARTITIONS);
    send(name, 8, 1, 0);
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU(name),
            Tables.configOfRealtime(
                name,
                stream(name),
                "\"upsertConfig\": {\"mode\": \"FULL\", \"comparisonColumns\": [\"ts\"], \"metadataTTL\": 1000, \"snapshot\": \"ENABLE\"},",
                "strictReplicaGroup"),
            directory);
    await()
        .atMost(PATIENCE)
        .ignoreException(IllegalStateException.class)
        .until(() -> load.number("SELECT COUNT(*) FROM " + name) == 8);

    UpsertRules rules =
        UpsertRules.read(load.table, load.controller, UpsertRules.DEFAULT_AHEAD_LIMIT);
    long now = TestLoad.RUN_START;
    assertThat(rules.leastComparison()).isEqualTo(BASE - 1000.0);
    assertThat(rules.refusal(now, BASE - 1001, now).orElseThrow()).contains("metadata TTL");
    assertThat(rules.refusal(now, BASE - 1000, now)).isEmpty();
    assertThat(rules.refusal(now, now + 3_600_001, now).orElseThrow()).contains("future");
    assertThat(rules.refusal(now, now + 3_600_000, now)).isEmpty();
    assertThat(rules.refusal(now - 36_500L * 86_400_000 - 1, BASE - 1000, now).orElseThrow())
        .contains("retention");
  }

  private void assertRefused(String upsert, String selector, String reason) throws Exception {
    String name = "refused_" + TABLES.incrementAndGet();
    kafka.createTopic(name, 1);
    String config = Tables.configOfRealtime(name, stream(name), upsert, selector);
    SharedPinot.get().tables().create(Tables.schemaOfU(name), config);
    var settings = ControllerSettings.of(SharedPinot.get().controllerUrl());
    PinotPlan plan = PinotPlan.builder(PinotTable.parse(name + "_REALTIME"), settings).build();
    assertThatThrownBy(
            () -> new PinotTableCommitter(plan, new LocalFiles(), Clock.systemUTC()).start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  private TestLoad streamed(int keys, int v, long ts) throws Exception {
    String name = "up_" + TABLES.incrementAndGet();
    kafka.createTopic(name, PARTITIONS);
    send(name, keys, v, ts);
    TestLoad load =
        TestLoad.create(
            SharedPinot.get(),
            Tables.schemaOfU(name),
            Tables.configOfU(name, stream(name)),
            directory);
    awaitRows(load, orders(keys, v, ts));
    return load;
  }

  /** Waits until both replicas answer so: a broker asks them in turn. */
  private static void awaitRows(TestLoad load, List<List<Object>> right) {
    await()
        .atMost(PATIENCE)
        .ignoreException(IllegalStateException.class)
        .untilAsserted(
            () -> {
              for (int answer = 0; answer < 2 * REPLICAS; answer++) {
                assertThat(rows(load)).isEqualTo(right);
              }
            });
  }

  private static Map<String, String> stream(String topic) {
    return SharedPinot.get().jsonFromKafka(kafka.bootstrapServers(), topic);
  }

  private static PinotCommit backfill(TestLoad load, Run run, int keys, int v, long ts)
      throws Exception {
    SortedMap<Integer, List<GenericRow>> partitions = new TreeMap<>();
    for (int i = 1; i <= keys; i++) {
      partitions
          .computeIfAbsent(MURMUR.partition(List.of("o" + i), PARTITIONS), p -> new ArrayList<>())
          .add(row("id", "o" + i, "v", v, "ts", BASE + ts));
    }
    List<StagedSegment> segments = new ArrayList<>();
    for (Map.Entry<Integer, List<GenericRow>> partition : partitions.entrySet()) {
      segments.add(load.segment(run, 0, partition.getKey(), partition.getValue()));
    }
    return load.commit(run, 1, false, segments.toArray(StagedSegment[]::new));
  }

  private static List<List<Object>> rows(TestLoad load) {
    return new ArrayList<>(
        load.rows("SELECT id, v, ts FROM " + load.table.rawName() + " ORDER BY id LIMIT 100"));
  }

  private static List<List<Object>> orders(int keys, int v, long ts) {
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 1; i <= keys; i++) {
      rows.add(List.of("o" + i, v, BASE + ts));
    }
    return rows;
  }

  private static Map<String, SegmentInfo> uploaded(TestLoad load) {
    Map<String, SegmentInfo> all = new TreeMap<>(load.controller.allSegments(load.table));
    all.keySet().removeIf(StreamSegments::isOne);
    return all;
  }

  private static void send(String topic, int keys, int v, long ts) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 1; i <= keys; i++) {
        String value = "{\"id\": \"o%d\", \"v\": %d, \"ts\": %d}".formatted(i, v, BASE + ts);
        producer.send(new ProducerRecord<>(topic, "o" + i, value));
      }
    }
  }
}

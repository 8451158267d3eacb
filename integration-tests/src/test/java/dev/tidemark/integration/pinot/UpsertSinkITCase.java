package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.flink.ControllerRequestClient;
import dev.tidemark.pinot.flink.KeySerializer;
import dev.tidemark.pinot.flink.PinotConnectionUtils;
import dev.tidemark.pinot.flink.PinotPartitioning;
import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkFunction;
import dev.tidemark.pinot.row.PinotRowRecordConverter;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.apache.pinot.common.utils.http.HttpClient;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.builder.ControllerRequestURLBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both sinks into a REALTIME table with upsert of a real Pinot, beside its stream. */
class UpsertSinkITCase {
  private static final int PARTITIONS = 4;
  private static final List<Integer> PARTITION_OF_O1_TO_O8 = List.of(3, 2, 3, 0, 2, 2, 1, 3);
  private static final RowTypeInfo TEXT_KEYS = type(Types.STRING);
  private static final RowTypeInfo INT_KEYS = type(Types.INT);

  private static EmbeddedKafka kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = SharedKafka.get();
  }

  /** Case 4: eight keys streamed, then backfilled by a job of parallelism 3. */
  @Test
  void everyKeyIsLoadedIntoItsPartition() throws Exception {
    Tables.Created table = streamedOrders();
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(3);
    orders(env)
        .sinkTo(
            PinotSink.builder(
                    new PinotRowRecordConverter(TEXT_KEYS), table.config(), table.schema())
                .controller(Tables.pinot().controllerUrl())
                .staging(directory.toUri().toString())
                .partitioning(PinotPartitioning.kafka(PARTITIONS, KeySerializer.string(), "id"))
                .build());
    finish(env);

    awaitAll(table, 8, "2");
    Map<String, String> names = table.byKey("id", "$segmentName");
    for (int i = 1; i <= 8; i++) {
      assertThat(names.get("o" + i).split("__")[2])
          .isEqualTo(PARTITION_OF_O1_TO_O8.get(i - 1).toString());
    }
  }

  /** Case 4, with a partitioner that is not the stream's. */
  @Test
  void aDeclaredPartitionerThatIsNotTheStreamsIsRefusedBeforeAnythingIsUploaded() throws Exception {
    Tables.Created table = streamedOrders();
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(3);
    orders(env)
        .sinkTo(
            PinotSink.builder(
                    new PinotRowRecordConverter(TEXT_KEYS), table.config(), table.schema())
                .controller(Tables.pinot().controllerUrl())
                .staging(directory.toUri().toString())
                .partitioning(
                    PinotPartitioning.of(
                        PARTITIONS,
                        (key, n) -> Integer.parseInt(key.get(0).toString().substring(1)) % n,
                        "id"))
                .build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      assertThat(job.awaitFailure())
          .contains("of the stream, the declared partitioner puts it into partition");
      assertThat(job.attempts()).isZero();
    }
    assertThat(table.byKey("id", "v").values()).hasSize(8).containsOnly("1");
  }

  /** The second program of the README of the connector that Pinot ships, with other imports. */
  @Test
  void theUpsertQuickStartRunsWhereTheTopicWasProducedThatWay() throws Exception {
    Tables.Created created = Tables.upsert(kafka, "INT", 2);
    stream(created, key -> key % 2);
    finish(upsertQuickStart(created));
    awaitAll(created, 40, "2");
  }

  @Test
  void theUpsertQuickStartIsRefusedElsewhere() throws Exception {
    Tables.Created created = Tables.upsert(kafka, "INT", 2);
    stream(created, key -> (key / 2) % 2);
    try (RunningJob job = TestCluster.shared().submit(upsertQuickStart(created))) {
      assertThat(job.awaitFailure())
          .contains("which the table does not confirm")
          .contains("PinotSink.builder(...).partitioning(...)");
      assertThat(job.attempts()).isZero();
    }
    assertThat(created.byKey("id", "v").values()).hasSize(40).containsOnly("1");
  }

  private static StreamExecutionEnvironment upsertQuickStart(Tables.Created created)
      throws Exception {
    List<Row> data = IntStream.range(0, 40).mapToObj(i -> Row.of(i, 2, Tables.TIME + 200)).toList();

    StreamExecutionEnvironment execEnv = TestCluster.shared().environmentWithoutCheckpoints(2);
    DataStream<Row> srcDs = execEnv.fromData(data, INT_KEYS);
    HttpClient httpClient = HttpClient.getInstance();
    ControllerRequestClient client =
        new ControllerRequestClient(
            ControllerRequestURLBuilder.baseUrl(Tables.pinot().controllerUrl()), httpClient);
    Schema schema = PinotConnectionUtils.getSchema(client, created.name());
    TableConfig tableConfig =
        PinotConnectionUtils.getTableConfig(client, created.name(), "REALTIME");
    srcDs
        .partitionCustom(
            (Partitioner<Integer>) (key, partitions) -> key % partitions,
            r -> (Integer) r.getField("id"))
        .addSink(
            new PinotSinkFunction<>(new PinotRowRecordConverter(INT_KEYS), tableConfig, schema));
    return execEnv;
  }

  /** Streams the keys 0 to 39. */
  private static void stream(Tables.Created created, IntUnaryOperator partitioner)
      throws Exception {
    List<Tables.Message> messages =
        IntStream.range(0, 40)
            .mapToObj(
                i ->
                    new Tables.Message(
                        partitioner.applyAsInt(i),
                        "" + i,
                        Map.of("id", i, "v", 1, "ts", Tables.TIME + 100)))
            .toList();
    Tables.send(kafka, created.name(), messages);
    awaitAll(created, 40, "1");
  }

  /** Table U with o1 to o8 streamed at time 100. */
  private static Tables.Created streamedOrders() throws Exception {
    Tables.Created created = Tables.upsert(kafka, "STRING", PARTITIONS);
    List<Tables.Message> messages =
        IntStream.rangeClosed(1, 8)
            .mapToObj(
                i ->
                    new Tables.Message(
                        PARTITION_OF_O1_TO_O8.get(i - 1),
                        "o" + i,
                        Map.of("id", "o" + i, "v", 1, "ts", Tables.TIME + 100)))
            .toList();
    Tables.send(kafka, created.name(), messages);
    awaitAll(created, 8, "1");
    return created;
  }

  private static DataStream<Row> orders(StreamExecutionEnvironment env) {
    List<Row> rows =
        IntStream.rangeClosed(1, 8).mapToObj(i -> Row.of("o" + i, 2, Tables.TIME + 200)).toList();
    return env.fromData(rows, TEXT_KEYS);
  }

  private static void awaitAll(Tables.Created table, int keys, String v) {
    Tables.patiently()
        .untilAsserted(
            () -> {
              TreeMap<String, Long> counts =
                  table.byKey("id", "v").values().stream()
                      .collect(
                          Collectors.groupingBy(
                              value -> value, TreeMap::new, Collectors.counting()));
              assertThat(counts).isEqualTo(new TreeMap<>(Map.of(v, (long) keys)));
              assertThat(table.number("SELECT COUNT(*)")).isEqualTo(keys);
            });
  }

  private static void finish(StreamExecutionEnvironment env) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
  }

  private static RowTypeInfo type(TypeInformation<?> key) {
    return new RowTypeInfo(
        new TypeInformation<?>[] {key, Types.INT, Types.LONG}, new String[] {"id", "v", "ts"});
  }
}

package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.flink.DeadLetter;
import dev.tidemark.pinot.flink.KeySerializer;
import dev.tidemark.pinot.flink.PinotPartitioning;
import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.pinot.row.FlinkRowGenericRowConverter;
import dev.tidemark.quickstart.embedded.EmbeddedKafka;
import dev.tidemark.quickstart.embedded.SharedKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Well-formed rows that a real table would lose, or that would harm others: each fails the job with
 * its reason, or goes to the dead letters. None is lost without a word.
 */
class RowRulesITCase {
  private static final long NOW = System.currentTimeMillis();
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final String TTL_OF_A_DAY =
      "\"comparisonColumns\": [\"ts\"], \"metadataTTL\": " + DAY + ", \"snapshot\": \"ENABLE\"";
  private static final RowTypeInfo ROWS =
      new RowTypeInfo(
          new TypeInformation<?>[] {Types.INT, Types.INT, Types.LONG},
          new String[] {"id", "v", "ts"});
  private static final Map<String, Queue<DeadLetter<Row>>> LETTERS = new ConcurrentHashMap<>();

  private static EmbeddedKafka kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = SharedKafka.get();
  }

  @Test
  void aRowOlderThanTheRetentionFailsTheJobForGood() throws Exception {
    Tables.Created table = Tables.offlineWithRetention(5);
    assertThat(failure(offline(table), Row.of(1, 10, NOW - DAY), Row.of(2, 20, NOW - 6 * DAY)))
        .contains("Cannot write record")
        .contains("is older than the table's retention (expected: at most PT120H old)");
    assertThat(table.number("SELECT COUNT(*)")).isZero();
  }

  @Test
  void aRowOlderThanTheRetentionIsADeadLetterByOption() throws Exception {
    Tables.Created table = Tables.offlineWithRetention(5);
    Row old = Row.of(2, 20, NOW - 6 * DAY);
    finish(withDeadLetters(table, offline(table)), Row.of(1, 10, NOW - 4 * DAY), old);
    Tables.patiently()
        .untilAsserted(() -> assertThat(table.byKey("id", "v")).isEqualTo(Map.of("1", "10")));
    assertThat(LETTERS.get(table.name()))
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.record()).isEqualTo(old);
              assertThat(letter.kind()).isEqualTo(DeadLetter.Kind.REFUSED);
              assertThat(letter.reason()).contains("older than the table's retention");
            });
  }

  @Test
  void aRowOutsideTheMetadataTtlFailsTheJobForGood() throws Exception {
    Tables.Created table = streamed();
    assertThat(failure(upsert(table), Row.of(1, 2, NOW - 2 * DAY)))
        .contains("is outside the table's metadata TTL (expected: >= " + (NOW - DAY));
    assertThat(table.byKey("id", "v")).isEqualTo(Map.of("1", "1"));
  }

  @Test
  void aRowFarInTheFutureFailsTheJobForGood() throws Exception {
    Tables.Created table = streamed();
    assertThat(failure(upsert(table), Row.of(2, 2, NOW + 30 * DAY)))
        .contains("lies in the future")
        .contains("a greater one hides every row of its key that comes later");
    assertThat(table.byKey("id", "v")).isEqualTo(Map.of("1", "1"));
  }

  @Test
  void howFarAheadOfTheClockARowMayBeIsAnOption() throws Exception {
    Tables.Created table = streamed();
    finish(upsert(table).maxAhead(Duration.ofDays(31)), Row.of(2, 2, NOW + 30 * DAY));
    Tables.patiently()
        .untilAsserted(
            () -> assertThat(table.byKey("id", "v")).isEqualTo(Map.of("1", "1", "2", "2")));
  }

  @Test
  void rowsThatWouldHarmAnUpsertTableAreDeadLettersByOption() throws Exception {
    Tables.Created table = streamed();
    finish(
        withDeadLetters(table, upsert(table)),
        Row.of(1, 2, NOW - 2 * DAY),
        Row.of(2, 2, NOW + 30 * DAY),
        Row.of(3, 2, NOW - HOUR));
    Tables.patiently()
        .untilAsserted(
            () -> assertThat(table.byKey("id", "v")).isEqualTo(Map.of("1", "1", "3", "2")));
    assertThat(table.number("SELECT COUNT(*)")).isEqualTo(2);
    assertThat(LETTERS.get(table.name()).stream().map(letter -> letter.record().getField("id")))
        .containsExactlyInAnyOrder(1, 2);
  }

  /** An upsert table with a TTL of a day, and key 1 streamed now. */
  private static Tables.Created streamed() throws Exception {
    Tables.Created table = Tables.upsert(kafka, "INT", 1, TTL_OF_A_DAY);
    Tables.send(
        kafka,
        table.name(),
        List.of(new Tables.Message(0, "1", Map.of("id", 1, "v", 1, "ts", NOW))));
    Tables.patiently()
        .untilAsserted(() -> assertThat(table.byKey("id", "v")).isEqualTo(Map.of("1", "1")));
    return table;
  }

  private PinotSinkBuilder<Row> offline(Tables.Created table) throws Exception {
    return PinotSink.builder(new FlinkRowGenericRowConverter(ROWS), table.config(), table.schema())
        .controller(Tables.pinot().controllerUrl())
        .staging(directory.toUri().toString());
  }

  private PinotSinkBuilder<Row> upsert(Tables.Created table) throws Exception {
    return offline(table).partitioning(PinotPartitioning.kafka(1, KeySerializer.int32(), "id"));
  }

  private static PinotSinkBuilder<Row> withDeadLetters(
      Tables.Created table, PinotSinkBuilder<Row> sink) {
    String name = table.name();
    LETTERS.put(name, new ConcurrentLinkedQueue<>());
    return sink.deadLetters(letter -> LETTERS.get(name).add(letter));
  }

  private static void finish(PinotSinkBuilder<Row> sink, Row... rows) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(job(sink, rows))) {
      job.awaitFinished();
    }
  }

  /** Why the job failed, at its first attempt. */
  private static String failure(PinotSinkBuilder<Row> sink, Row... rows) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(job(sink, rows))) {
      String failure = job.awaitFailure();
      assertThat(job.attempts()).isZero();
      return failure;
    }
  }

  private static StreamExecutionEnvironment job(PinotSinkBuilder<Row> sink, Row... rows)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.fromData(ROWS, rows).sinkTo(sink.build());
    return env;
  }
}

package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.flink.testing.MemoryTable.Fault;
import dev.tidemark.pinot.row.FlinkRowGenericRowConverter;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.pinot.segment.StagedSegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is not written, and how one hears of it: bad records, deletions, tables, hooks. */
class RefusalsITCase {
  private static final Queue<DeadLetter<Integer>> LETTERS = new ConcurrentLinkedQueue<>();
  private static final Queue<String> REASONS = new ConcurrentLinkedQueue<>();
  private static final RowTypeInfo ORDER =
      new RowTypeInfo(
          new TypeInformation<?>[] {Types.STRING, Types.INT, Types.LONG},
          new String[] {"id", "v", "ts"});

  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();

  @Test
  void aBadRecordFailsTheJobForGood() throws Exception {
    Script<Integer> script = Script.of(List.of(1, 2, -3, 4));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.release();
      assertThat(job.awaitFailure()).contains("Cannot write record -3").contains(Orders.TOO_BAD);
      assertThat(job.attempts()).isZero();
    }
    assertThat(table.commits()).isEmpty();
  }

  @Test
  void aBadRecordGoesToTheListenerIfThereIsOne() throws Exception {
    LETTERS.clear();
    Script<Integer> script = Script.of(List.of(1, 2, -3, 4));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    Orders.unbounded(env, script)
        .sinkTo(Orders.sink(table, directory).deadLetters(letter -> LETTERS.add(letter)).build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(table.values("id")).containsExactly(1, 2, 4);
    assertThat(LETTERS).hasSize(1);
    DeadLetter<Integer> letter = LETTERS.remove();
    assertThat(letter.record()).isEqualTo(-3);
    assertThat(letter.kind()).isEqualTo(DeadLetter.Kind.MALFORMED);
    assertThat(letter.reason()).contains(Orders.TOO_BAD);
  }

  @Test
  void aBadRecordOfAPartitionedTableReachesTheListenerToo() throws Exception {
    LETTERS.clear();
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.fromData(Types.INT, 1, 2, -3, 0, 4)
        .sinkTo(
            PinotSink.builder(new PickyUpsertRow(), Orders.upsert(), Orders.upsertSchema())
                .staging(directory.toUri().toString())
                .partitioning(PinotPartitioning.kafka(4, KeySerializer.string(), "id"))
                .deadLetters(letter -> LETTERS.add(letter))
                .publishers(table.publishers())
                .build());
    finish(env);
    assertThat(table.values("v")).containsExactly(10, 20, 40);
    assertThat(LETTERS.stream().map(DeadLetter::record)).containsExactlyInAnyOrder(-3, 0);
  }

  /** Negative numbers cannot be converted, and zero has no key. */
  private static final class PickyUpsertRow implements PinotGenericRowConverter<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(Integer id) {
      if (id < 0) {
        throw new IllegalArgumentException(Orders.TOO_BAD);
      }
      GenericRow row = new Orders.UpsertRow().convertToRow(id);
      if (id == 0) {
        row.putValue("id", null);
      }
      return row;
    }

    @Override
    public Integer convertFromRow(GenericRow row) {
      throw new UnsupportedOperationException("one way");
    }
  }

  @Test
  void aValueThatDoesNotFitIsADeadLetterToo() throws Exception {
    REASONS.clear();
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(1);
    env.fromData(Types.STRING, "1", "two", "3")
        .sinkTo(
            PinotSink.builder(new TextAsId(), Orders.offline(), Orders.offlineSchema())
                .staging(directory.toUri().toString())
                .deadLetters(letter -> REASONS.add(letter.reason()))
                .publishers(table.publishers())
                .build());
    finish(env);
    assertThat(table.values("id")).containsExactly(1, 3);
    assertThat(REASONS).hasSize(1).allMatch(reason -> reason.contains("two"));
  }

  @Test
  void aDeletionBecomesATombstone() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.fromData(
            ORDER,
            change(RowKind.INSERT, "o1", 1, 100),
            change(RowKind.UPDATE_BEFORE, "o1", 1, 100),
            change(RowKind.UPDATE_AFTER, "o2", 2, 200),
            change(RowKind.DELETE, "o3", 3, 300))
        .sinkTo(rowSink().build());
    finish(env);
    assertThat(gone(true)).containsExactlyInAnyOrder("o1", "o3");
    assertThat(gone(false)).containsExactlyInAnyOrder("o1", "o2");
  }

  @Test
  void aDeletionOnATableThatKeepsAllIsRefused() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(1);
    RowTypeInfo type =
        new RowTypeInfo(new TypeInformation<?>[] {Types.INT, Types.INT}, new String[] {"id", "v"});
    env.fromData(type, Row.ofKind(RowKind.DELETE, 1, 10))
        .sinkTo(
            PinotSink.builder(
                    new FlinkRowGenericRowConverter(type), Orders.offline(), Orders.offlineSchema())
                .staging(directory.toUri().toString())
                .publishers(table.publishers())
                .build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      assertThat(job.awaitFailure()).contains("Cannot store a change of kind DELETE");
    }
  }

  @Test
  void aRefusedTableFailsTheJobForGood() throws Exception {
    table.refuse("Cannot publish to a_OFFLINE: for a test");
    Script<Integer> script = Script.of(Orders.ids(0, 4));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      assertThat(job.awaitFailure()).contains("Cannot publish to a_OFFLINE: for a test");
      assertThat(job.attempts()).isZero();
    }
  }

  @Test
  void anUnboundedStreamWithoutCheckpointsIsRefusedBeforeItIsSubmitted() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    Orders.unbounded(env, Script.of(Orders.ids(0, 4)))
        .map(id -> id)
        .sinkTo(Orders.sink(table, directory).build());
    assertThatThrownBy(env::getStreamGraph)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot write the unbounded stream of source \"scripted source\"")
        .hasMessageContaining("execution.checkpointing.interval");
  }

  @Test
  void aHookThatRefusesOnceDelaysTheCommit() throws Exception {
    table.next(Fault.HOOK_REFUSES, Fault.HOOK_REFUSES);
    Script<Integer> script = Script.of(Orders.ids(0, 4));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      assertThat(job.attempts()).isZero();
    }
    assertThat(table.refusedByHook()).isEqualTo(2);
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 4));
  }

  @Test
  void aHookThatRefusesTooOftenFailsTheJobForGood() throws Exception {
    table.next(Fault.HOOK_REFUSES, Fault.HOOK_REFUSES);
    Script<Integer> script = Script.of(Orders.ids(0, 4));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Orders.unbounded(env, script)
        .sinkTo(Orders.sink(table, directory).maxPreCommitAborts(2).build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      assertThat(job.awaitFailure()).contains("refused it 2 times").contains("not yet");
      assertThat(job.attempts()).isZero();
    }
    assertThat(table.commits()).isEmpty();
  }

  @Test
  void aRowInTheWrongSubtaskFailsTheJobForGood() throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(2);
    env.fromData(ORDER, change(RowKind.INSERT, "o1", 1, 100), change(RowKind.INSERT, "o2", 1, 100))
        .rebalance()
        .partitionCustom((key, subtasks) -> 0, row -> 0)
        .addSink(rowSink().buildFunction());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      // o1 is of partition 3, which the second of two subtasks owns.
      assertThat(job.awaitFailure())
          .contains("Cannot write a row of partition 3 in subtask 0")
          .contains("partitionByPrimaryKey");
      assertThat(job.attempts()).isZero();
    }
  }

  @Test
  void aRealtimeTableNeedsAPartitioning() {
    assertThatThrownBy(
            () ->
                PinotSink.builder(new Orders.UpsertRow(), Orders.upsert(), Orders.upsertSchema())
                    .controller("http://127.0.0.1:1")
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Missing partitioning of table u_REALTIME");
  }

  @Test
  void theMessageKeyMustBeOfThePrimaryKey() {
    assertThatThrownBy(
            () ->
                PinotSink.builder(new Orders.UpsertRow(), Orders.upsert(), Orders.upsertSchema())
                    .controller("http://127.0.0.1:1")
                    .partitioning(PinotPartitioning.kafka(4, KeySerializer.int32(), "v"))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot prove the partitioning of table u_REALTIME");
  }

  @Test
  void aControllerMustBeKnown() {
    assertThatThrownBy(
            () ->
                PinotSink.builder(new Orders.OfflineRow(), Orders.offline(), Orders.offlineSchema())
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Missing controller of table a_OFFLINE");
  }

  private PinotSinkBuilder<Row> rowSink() {
    return PinotSink.builder(
            new FlinkRowGenericRowConverter(ORDER), Orders.upsert(), Orders.upsertSchema())
        .staging(directory.toUri().toString())
        .partitioning(PinotPartitioning.kafka(4, KeySerializer.string(), "id"))
        .publishers(table.publishers());
  }

  private List<Object> gone(boolean expected) {
    return table.segments().stream()
        .map(StagedSegment::name)
        .flatMap(name -> table.rows(name).stream())
        .filter(row -> isTrue(row.getValue("gone")) == expected)
        .map(row -> row.getValue("id"))
        .toList();
  }

  private static boolean isTrue(Object value) {
    return Boolean.TRUE.equals(value) || Integer.valueOf(1).equals(value);
  }

  private static Row change(RowKind kind, String id, int v, long ts) {
    return Row.ofKind(kind, id, v, 1_767_225_600_000L + ts);
  }

  private static void finish(StreamExecutionEnvironment env) throws Exception {
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
  }

  /** Text where the table has a number. */
  private static final class TextAsId implements PinotGenericRowConverter<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(String id) {
      GenericRow row = new GenericRow();
      row.putValue("id", id);
      row.putValue("v", 1);
      return row;
    }

    @Override
    public String convertFromRow(GenericRow row) {
      return String.valueOf(row.getValue("id"));
    }
  }
}

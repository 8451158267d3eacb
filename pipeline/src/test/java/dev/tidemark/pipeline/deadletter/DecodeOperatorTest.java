package dev.tidemark.pipeline.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.event.UnorderableStreamException;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class DecodeOperatorTest {
  @Test
  void aMalformedRecordLandsInTheDeadLettersAndTheNextOneIsDecoded() throws Exception {
    try (Harness harness = Harness.open(false)) {
      KafkaRecord broken =
          Captured.record(new KafkaPosition("cdc.shop.t", 4, 11), "{\"id\":1}", "{\"op\":\"x\"}");
      harness.feed(broken);
      harness.feed(event(0, 5, 1, 12));
      assertThat(harness.events()).hasSize(1);
      assertThat(harness.deadLetters())
          .containsExactly(
              new DeadLetter(
                  new KafkaPosition("cdc.shop.t", 4, 11),
                  1L,
                  "Cannot decode cdc.shop.t-4@11: value.op: \"x\" (expected: one of c, u, d, r, t, m)",
                  "{\"id\":1}".getBytes(StandardCharsets.UTF_8),
                  "{\"op\":\"x\"}".getBytes(StandardCharsets.UTF_8)));
      assertThat(harness.counts())
          .isEqualTo(Map.of("decoded", 1L, "resent", 0L, "skipped", 0L, "malformed", 1L));
    }
  }

  @Test
  void aStrictOperatorFailsWithTheCoordinatesInstead() throws Exception {
    try (Harness harness = Harness.open(true)) {
      KafkaRecord broken = Captured.record(new KafkaPosition("cdc.shop.t", 4, 11), "{}", "x");
      assertThatThrownBy(() -> harness.feed(broken))
          .hasMessageContaining("cdc.shop.t-4@11")
          .hasMessageContaining("strict");
    }
  }

  @Test
  void theCapturedStreamIsDecodedAndCounted() throws Exception {
    try (Harness harness = Harness.open(true)) {
      for (KafkaRecord record : Captured.records(Captured.PLAIN)) {
        harness.feed(record);
      }
      assertThat(harness.events()).hasSize(33).noneMatch(ChangeEvent::resent);
      assertThat(harness.counts())
          .isEqualTo(Map.of("decoded", 33L, "resent", 0L, "skipped", 17L, "malformed", 0L));
    }
  }

  /** Case 18: B (newer), then again A (older), B. */
  @Test
  void aChangeAtOrBelowWhatItsPartitionReachedIsMarkedResentAndStillEmitted() throws Exception {
    try (Harness harness = Harness.open(false)) {
      harness.feed(event(0, 10, 1, 0));
      harness.feed(event(0, 11, 2, 1));
      harness.feed(event(0, 10, 1, 2));
      harness.feed(event(0, 11, 2, 3));
      harness.feed(event(0, 11, 3, 4));
      assertThat(harness.events())
          .extracting(ChangeEvent::resent)
          .containsExactly(false, false, true, true, false);
      assertThat(harness.counts()).containsEntry("resent", 2L).containsEntry("decoded", 5L);
    }
  }

  @Test
  void partitionsHaveReachesOfTheirOwn() throws Exception {
    try (Harness harness = Harness.open(false)) {
      harness.feed(event(0, 11, 1, 0));
      harness.feed(event(1, 10, 1, 0));
      assertThat(harness.events()).noneMatch(ChangeEvent::resent);
    }
  }

  @Test
  void theReachSurvivesACheckpointAndRescalingAndRecordsReadAgainAreNotResent() throws Exception {
    List<OperatorSubtaskState> states = new ArrayList<>();
    try (Harness harness = Harness.open(false)) {
      for (int partition = 0; partition < 8; partition++) {
        harness.feed(event(partition, 10 + partition, 1, 0));
      }
      states.add(harness.snapshot());
      harness.feed(event(0, 99, 1, 1));
    }
    List<OperatorSubtaskState> scaledOut = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      try (Harness harness = Harness.restored(3, subtask, states)) {
        harness.feed(event(subtask, 10 + subtask, 1, 1));
        harness.feed(event(subtask, 99, 1, 2));
        assertThat(harness.events()).extracting(ChangeEvent::resent).containsExactly(true, false);
        scaledOut.add(harness.snapshot());
      }
    }
    try (Harness harness = Harness.restored(1, 0, scaledOut)) {
      harness.feed(event(2, 99, 1, 3));
      harness.feed(event(7, 17, 1, 1));
      harness.feed(event(7, 18, 1, 2));
      assertThat(harness.events())
          .extracting(ChangeEvent::resent)
          .containsExactly(true, true, false);
    }
  }

  @Test
  void aSecondGtidDomainFailsTheJobAlsoAfterARestore() throws Exception {
    List<OperatorSubtaskState> states = new ArrayList<>();
    try (Harness harness = Harness.open(false)) {
      harness.feed(event(0, 10, 1, 0));
      states.add(harness.snapshot());
    }
    try (Harness harness = Harness.restored(1, 0, states)) {
      KafkaRecord other = event("7-1-20", 1, new KafkaPosition("cdc.shop.t", 1, 0));
      assertThatThrownBy(() -> harness.feed(other))
          .isInstanceOf(UnorderableStreamException.class)
          .hasMessageContaining("GTID domain 7 after domain 0");
    }
  }

  @Test
  void aStreamWithoutTransactionBlocksFailsTheJobEvenWhenNotStrict() throws Exception {
    try (Harness harness = Harness.open(false)) {
      KafkaRecord event = event(0, 10, 1, 0);
      String value =
          new String(event.value(), StandardCharsets.UTF_8)
              .replaceAll("\"transaction\":\\{[^}]*}", "\"transaction\":null");
      assertThatThrownBy(() -> harness.feed(Captured.record(event.position(), "{}", value)))
          .isInstanceOf(UnorderableStreamException.class)
          .hasMessageContaining("provide.transaction.metadata=true");
    }
  }

  static KafkaRecord event(int partition, long sequence, long totalOrder, long offset) {
    return event("0-1-" + sequence, totalOrder, new KafkaPosition("cdc.shop.t", partition, offset));
  }

  private static KafkaRecord event(String gtid, long totalOrder, KafkaPosition position) {
    String value =
        "{'after':{'id':1},'source':{'name':'cdc','db':'shop','table':'t','ts_ms':1,'gtid':'%s'},'transaction':{'id':'%s','total_order':%d},'op':'u'}"
            .formatted(gtid, gtid, totalOrder)
            .replace('\'', '"');
    return Captured.record(position, "{\"id\":1}", value);
  }

  private record Harness(OneInputStreamOperatorTestHarness<KafkaRecord, ChangeEvent> flink)
      implements AutoCloseable {
    static Harness open(boolean strict) throws Exception {
      Harness harness = create(strict, 1, 0);
      harness.flink.open();
      return harness;
    }

    static Harness restored(int parallelism, int subtask, List<OperatorSubtaskState> states)
        throws Exception {
      Harness harness = create(false, parallelism, subtask);
      harness.flink.initializeState(
          AbstractStreamOperatorTestHarness.repartitionOperatorState(
              AbstractStreamOperatorTestHarness.repackageState(
                  states.toArray(OperatorSubtaskState[]::new)),
              8,
              states.size(),
              parallelism,
              subtask));
      harness.flink.open();
      return harness;
    }

    private static Harness create(boolean strict, int parallelism, int subtask) throws Exception {
      OneInputStreamOperatorTestHarness<KafkaRecord, ChangeEvent> flink =
          new OneInputStreamOperatorTestHarness<>(
              new DecodeOperator(DebeziumFormat.undeclared(), strict),
              8,
              parallelism,
              subtask,
              KafkaRecordCodec.TYPE.createSerializer(new SerializerConfigImpl()),
              new org.apache.flink.runtime.jobgraph.OperatorID());
      flink.setup(ChangeEventCodec.TYPE.createSerializer(new SerializerConfigImpl()));
      return new Harness(flink);
    }

    void feed(KafkaRecord record) throws Exception {
      flink.processElement(new StreamRecord<>(record));
    }

    OperatorSubtaskState snapshot() throws Exception {
      return flink.snapshot(1, 1);
    }

    List<ChangeEvent> events() {
      return flink.extractOutputValues();
    }

    List<DeadLetter> deadLetters() {
      return flink.getSideOutput(DecodeOperator.DEAD_LETTERS).stream()
          .map(StreamRecord::getValue)
          .toList();
    }

    Map<String, Long> counts() {
      DecodeOperator operator = (DecodeOperator) flink.getOneInputOperator();
      return operator.counters().counts();
    }

    @Override
    public void close() throws Exception {
      flink.close();
    }
  }
}

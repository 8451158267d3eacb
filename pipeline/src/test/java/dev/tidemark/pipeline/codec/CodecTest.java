package dev.tidemark.pipeline.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.deadletter.DeadLetter;
import dev.tidemark.pipeline.deadletter.DeadLetterCodec;
import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class CodecTest {
  @Test
  void recordsEventsAndDeadLettersComeBackEqual() throws Exception {
    for (String file : List.of(Captured.PLAIN, Captured.WITH_SCHEMA, Captured.TRUNCATE)) {
      for (KafkaRecord record : Captured.records(file)) {
        assertThat(again(KafkaRecordCodec.TYPE, record)).isEqualTo(record);
        DeadLetter letter = DeadLetter.of(record, "why: é");
        assertThat(again(DeadLetterCodec.TYPE, letter)).isEqualTo(letter);
      }
      List<ChangeEvent> events = new ArrayList<>(Captured.events(file, Captured.declared()));
      events.addAll(Captured.events(file, DebeziumFormat.undeclared()));
      for (ChangeEvent event : events) {
        assertThat(again(ChangeEventCodec.TYPE, event)).isEqualTo(event);
        assertThat(again(ChangeEventCodec.TYPE, event.asResent()).resent()).isTrue();
      }
    }
  }

  /** The images were written by version 1; a later version must still read them. */
  @Test
  void theBytesOfVersionOneAreReadForEver() throws Exception {
    List<ChangeEvent> events = Captured.events(Captured.WITH_SCHEMA, DebeziumFormat.undeclared());
    ChangeEvent snapshot = events.get(3);
    ChangeEvent keyChange =
        events.stream().filter(e -> e.images().oldKey() != null).findFirst().get();
    assertPinned("change-event-snapshot-v1.bin", ChangeEventCodec.TYPE, snapshot);
    assertPinned("change-event-key-change-v1.bin", ChangeEventCodec.TYPE, keyChange);
  }

  private static <T> void assertPinned(String name, CodecTypeInfo<T> type, T value)
      throws IOException {
    try (InputStream in = CodecTest.class.getResourceAsStream("/codec/" + name)) {
      byte[] pinned = in.readAllBytes();
      assertThat(serializer(type).deserialize(new DataInputDeserializer(pinned))).isEqualTo(value);
      assertThat(bytes(serializer(type), value)).isEqualTo(pinned);
    }
  }

  @Test
  void aValueOfANewerVersionIsRefused() {
    DataInputDeserializer newer = new DataInputDeserializer(new byte[] {9, 0});
    assertThatThrownBy(() -> serializer(KafkaRecordCodec.TYPE).deserialize(newer))
        .hasMessage(
            "Cannot read a KafkaRecord of version 9 (expected: 1 to 1). A newer Tidemark wrote it.");
  }

  @Test
  void theSerializerSurvivesACheckpointAndTheJobGraph() throws Exception {
    TypeSerializer<ChangeEvent> serializer = serializer(ChangeEventCodec.TYPE);
    DataOutputSerializer out = new DataOutputSerializer(64);
    TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
    TypeSerializerSnapshot<ChangeEvent> restored =
        TypeSerializerSnapshot.readVersionedSnapshot(
            new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
    assertThat(restored.restoreSerializer()).isEqualTo(serializer);
    assertThat(
            serializer
                .snapshotConfiguration()
                .resolveSchemaCompatibility(restored)
                .isCompatibleAsIs())
        .isTrue();
    ChangeEvent event = Captured.events(Captured.TRUNCATE, DebeziumFormat.undeclared()).get(0);
    TypeSerializer<ChangeEvent> copied = InstantiationUtil.clone(serializer);
    assertThat(copied.deserialize(new DataInputDeserializer(bytes(copied, event))))
        .isEqualTo(event);
  }

  private static <T> T again(CodecTypeInfo<T> type, T value) throws IOException {
    return serializer(type).deserialize(new DataInputDeserializer(bytes(serializer(type), value)));
  }

  private static <T> TypeSerializer<T> serializer(CodecTypeInfo<T> type) {
    return type.createSerializer(new SerializerConfigImpl());
  }

  private static <T> byte[] bytes(TypeSerializer<T> serializer, T value) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(256);
    serializer.serialize(value, out);
    return out.getCopyOfBuffer();
  }
}

package dev.tidemark.pipeline.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeEventCodec;
import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** The operator in a real job: the network and its serializers, with generic types forbidden. */
@NullUnmarked
class DecodeJobITCase {
  @Test
  void aMalformedRecordBecomesADeadLetterAndTheJobFinishesWithAllTheOthers() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    List<KafkaRecord> records = new ArrayList<>(Captured.records(Captured.PLAIN));
    records.add(20, Captured.record(new KafkaPosition("cdc.shop.orders", 1, 77), null, "{\"op\""));
    SingleOutputStreamOperator<ChangeEvent> events =
        env.fromData(KafkaRecordCodec.TYPE, records.toArray(KafkaRecord[]::new))
            .rebalance()
            .transform(
                "Decode", ChangeEventCodec.TYPE, new DecodeOperator(Captured.declared(), false));
    CloseableIterator<ChangeEvent> decoded = events.rebalance().collectAsync();
    CloseableIterator<DeadLetter> buried =
        events.getSideOutput(DecodeOperator.DEAD_LETTERS).collectAsync();
    env.execute();
    List<ChangeEvent> seen = new ArrayList<>();
    decoded.forEachRemaining(seen::add);
    List<DeadLetter> letters = new ArrayList<>();
    buried.forEachRemaining(letters::add);
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(Captured.events(Captured.PLAIN, Captured.declared()));
    assertThat(letters).hasSize(1);
    assertThat(letters.get(0).position()).isEqualTo(new KafkaPosition("cdc.shop.orders", 1, 77));
    assertThat(letters.get(0).reason()).startsWith("Cannot decode cdc.shop.orders-1@77: value");
    assertThat(letters.get(0).value()).isEqualTo("{\"op\"".getBytes(StandardCharsets.UTF_8));
  }
}

package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.pipeline.deadletter.DeadLetter;
import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import dev.tidemark.pipeline.kafka.KafkaRecordCodec;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** The streams of one ledger in a real job, with generic types forbidden. */
@NullUnmarked
class LedgerStreamsITCase {
  private static final LedgerSchema ORDERS =
      LedgerSchema.of(
          Captured.ORDERS, List.of(Column.required("id", ColumnType.of(ColumnType.Kind.INT64))));

  @Test
  void rowsOfTheTableGoOnAndWhatHasNoPlaceBecomesADeadLetter() throws Exception {
    List<ChangeEvent> changes = Captured.events(Captured.PLAIN, Captured.declared());
    long orders = changes.stream().filter(e -> e.table().equals(Captured.ORDERS)).count();
    List<KafkaRecord> records = new ArrayList<>(Captured.records(Captured.PLAIN));
    records.add(Captured.record(new KafkaPosition("cdc.shop.orders", 1, 77), null, "{\"op\""));
    ChangeEventTime time = ChangeEventTime.of("created", EventTimeUnit.ISO_8601);

    List<RowData> rows = new ArrayList<>();
    List<DeadLetter> letters = new ArrayList<>();
    run(records, time, rows, letters);

    assertThat(rows).hasSize((int) orders);
    assertThat(letters)
        .singleElement()
        .satisfies(
            letter ->
                assertThat(letter.position())
                    .isEqualTo(new KafkaPosition("cdc.shop.orders", 1, 77)));
  }

  @Test
  void aChangeWhoseEventTimeIsNoneIsBuriedWithItsImagesAndTheOthersGoOn() throws Exception {
    List<RowData> rows = new ArrayList<>();
    List<DeadLetter> letters = new ArrayList<>();
    run(
        Captured.records(Captured.PLAIN),
        ChangeEventTime.of("customer", EventTimeUnit.ISO_8601),
        rows,
        letters);

    assertThat(rows).as("orders without an image have no customer").isEmpty();
    assertThat(letters)
        .isNotEmpty()
        .allSatisfy(
            letter -> {
              assertThat(letter.position().topic()).isEqualTo("cdc.shop.orders");
              assertThat(letter.reason())
                  .contains(letter.position().toString())
                  .contains("shop.orders.customer")
                  .contains("expected: ISO_8601");
              assertThat(new String(letter.value(), StandardCharsets.UTF_8))
                  .contains("\"customer\"");
            });
  }

  private static void run(
      List<KafkaRecord> records, ChangeEventTime time, List<RowData> rows, List<DeadLetter> letters)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    LedgerStreams streams =
        LedgerStreams.of(
            env.fromData(KafkaRecordCodec.TYPE, records.toArray(KafkaRecord[]::new)),
            Captured.declared(),
            ORDERS,
            time,
            null);
    try (CloseableIterator<RowData> found = streams.rows().collectAsync();
        CloseableIterator<DeadLetter> buried = streams.deadLetters().collectAsync()) {
      env.execute();
      found.forEachRemaining(rows::add);
      buried.forEachRemaining(letters::add);
    }
  }
}

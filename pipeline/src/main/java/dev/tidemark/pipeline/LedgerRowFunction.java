package dev.tidemark.pipeline;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.deadletter.DeadLetter;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import dev.tidemark.pipeline.ledger.LedgerRowMapper;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.ledger.UnmappableEventException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Makes ledger rows of the changes of one table. Changes of other tables (heartbeats among them)
 * are counted as {@code otherTables} and left out; a change that has no place in the ledger becomes
 * a dead letter, counted as {@code unmappable}, with its images as JSON: the job goes on.
 */
final class LedgerRowFunction extends ProcessFunction<ChangeEvent, RowData> {
  private static final long serialVersionUID = 1L;

  private final LedgerSchema schema;
  private final LedgerRowMapper mapper;
  private final OutputTag<DeadLetter> deadLetters;

  private transient @Nullable Counter otherTables;
  private transient @Nullable Counter unmappable;

  /** A function for the table of a ledger; {@code deadLetters} is its side output. */
  LedgerRowFunction(
      LedgerSchema schema, ChangeEventTime eventTime, OutputTag<DeadLetter> deadLetters) {
    this.schema = requireNonNull(schema, "schema is null");
    this.mapper = new LedgerRowMapper(schema, eventTime);
    this.deadLetters = requireNonNull(deadLetters, "deadLetters is null");
  }

  @Override
  public void open(OpenContext context) {
    otherTables = getRuntimeContext().getMetricGroup().counter("otherTables");
    unmappable = getRuntimeContext().getMetricGroup().counter("unmappable");
  }

  @Override
  public void processElement(ChangeEvent event, Context context, Collector<RowData> out) {
    if (!event.table().equals(schema.table())) {
      requireNonNull(otherTables).inc();
      return;
    }
    try {
      out.collect(mapper.map(event));
    } catch (UnmappableEventException e) {
      requireNonNull(unmappable).inc();
      context.output(deadLetters, deadLetter(event, requireNonNull(e.getMessage())));
    }
  }

  private static DeadLetter deadLetter(ChangeEvent event, String reason) {
    RowImage key = event.key();
    String images =
        "{\"before\":" + json(event.before()) + ",\"after\":" + json(event.after()) + "}";
    return new DeadLetter(
        event.kafka(),
        null,
        reason,
        key == null ? null : key.toJson().getBytes(StandardCharsets.UTF_8),
        images.getBytes(StandardCharsets.UTF_8));
  }

  private static String json(@Nullable RowImage image) {
    return image == null ? "null" : image.toJson();
  }
}

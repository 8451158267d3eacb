package dev.tidemark.pipeline.ledger;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.RowImage;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.jspecify.annotations.Nullable;

/**
 * Makes the ledger row of a change; every row is an insert, whatever the change was. Stateless: may
 * be shared by threads.
 */
public final class LedgerRowMapper implements MapFunction<ChangeEvent, RowData> {
  private static final long serialVersionUID = 1L;

  private final LedgerSchema schema;
  private final ChangeEventTime eventTime;

  public LedgerRowMapper(LedgerSchema schema, ChangeEventTime eventTime) {
    this.schema = requireNonNull(schema, "schema is null");
    this.eventTime = requireNonNull(eventTime, "eventTime is null");
  }

  /**
   * The row, in the order of {@link LedgerSchema}.
   *
   * @throws UnmappableEventException when the change is of another table, when its key is missing
   *     or of another type, or when its event time is out of range
   */
  @Override
  public RowData map(ChangeEvent event) throws UnmappableEventException {
    if (!event.table().equals(schema.table())) {
      throw unmappable(event, "table: " + event.table(), schema.table().toString());
    }
    List<KeyColumn> key = schema.key();
    GenericRowData row = new GenericRowData(schema.schema().columns().size());
    Long micros = eventTime.eventTimeMicros(event);
    row.setField(0, micros == null ? null : timestamp(micros));
    row.setField(1, timestamp(event.sourceTimeMicros()));
    row.setField(2, StringData.fromString(event.operation().code()));
    if (!key.isEmpty() && event.operation() != Operation.TRUNCATE) {
      putKey(row, event);
    }
    putRest(row, 4 + key.size(), event);
    return row;
  }

  private void putKey(GenericRowData row, ChangeEvent event) throws UnmappableEventException {
    List<@Nullable Object> values = new ArrayList<>();
    int position = 4;
    for (KeyColumn column : schema.key()) {
      Object value = keyValue(event, column.name());
      values.add(value);
      row.setField(position++, toFlink(event, column, value));
    }
    row.setField(3, PrimaryKeyHash.hash(PrimaryKeyHash.text(values)));
  }

  private static @Nullable Object keyValue(ChangeEvent event, String column) {
    RowImage key = event.key();
    if (key != null && key.has(column)) {
      return key.value(column);
    }
    RowImage row = event.row();
    return row == null ? null : row.value(column);
  }

  private static Object toFlink(ChangeEvent event, KeyColumn column, @Nullable Object value)
      throws UnmappableEventException {
    String expected = "a value of type " + column.column().type();
    if (value == null) {
      throw unmappable(event, "key column " + column.name() + ": null", expected);
    }
    try {
      return column.toFlink(value);
    } catch (ClassCastException | ArithmeticException e) {
      throw unmappable(
          event,
          "key column %s: %s of %s".formatted(column.name(), value, value.getClass().getName()),
          expected);
    }
  }

  private static void putRest(GenericRowData row, int first, ChangeEvent event) {
    row.setField(first, json(event.before()));
    row.setField(first + 1, json(event.after()));
    row.setField(first + 2, StringData.fromString(event.order().cdcOrd()));
    row.setField(first + 3, event.snapshot());
    row.setField(first + 4, event.resent());
    row.setField(first + 5, StringData.fromString(event.kafka().topic()));
    row.setField(first + 6, event.kafka().partition());
    row.setField(first + 7, event.kafka().offset());
    row.setField(first + 8, event.keyChanged());
  }

  private static @Nullable StringData json(@Nullable RowImage image) {
    return image == null ? null : StringData.fromString(image.toJson());
  }

  private static TimestampData timestamp(long micros) {
    int nanosOfMilli = (int) Math.floorMod(micros, 1_000L) * 1_000;
    return TimestampData.fromEpochMillis(Math.floorDiv(micros, 1_000L), nanosOfMilli);
  }

  private static UnmappableEventException unmappable(
      ChangeEvent event, String found, String expected) {
    return new UnmappableEventException(
        "Cannot make a ledger row of %s: %s (expected: %s). Declare the table's schema and key as the source has them."
            .formatted(event.kafka(), found, expected));
  }
}

package dev.tidemark.spark.testing;

import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.json.JsonText;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change of a source table, as the ledger holds it.
 *
 * @param key values of the key columns; null for TRUNCATE
 * @param sequence the transaction; 0 for a snapshot row
 * @param place the place in the transaction
 * @param time event time and source time
 * @param keyChanged whether it is half of a changed primary key
 */
public record TestChange(
    String op,
    @Nullable List<Object> key,
    @Nullable Map<String, @Nullable Object> before,
    @Nullable Map<String, @Nullable Object> after,
    long sequence,
    long place,
    Instant time,
    boolean keyChanged) {

  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

  public static TestChange insert(long sequence, long id, Object... after) {
    return new TestChange(
        "I", List.of(id), null, row(id, after), sequence, 1, time(sequence), false);
  }

  public static TestChange snapshot(long id, Object... after) {
    return new TestChange("R", List.of(id), null, row(id, after), 0, 0, START, false);
  }

  public static TestChange update(long sequence, long id, Object... after) {
    return new TestChange(
        "U", List.of(id), null, row(id, after), sequence, 1, time(sequence), false);
  }

  public static TestChange delete(long sequence, long id, Object... before) {
    return new TestChange(
        "D", List.of(id), row(id, before), null, sequence, 1, time(sequence), false);
  }

  public static TestChange truncate(long sequence) {
    return new TestChange("T", null, null, null, sequence, 1, time(sequence), false);
  }

  /** The same at another place of its transaction. */
  public TestChange place(long newPlace) {
    return new TestChange(op, key, before, after, sequence, newPlace, time, keyChanged);
  }

  public TestChange before(Object... columns) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>(columns(columns));
    return new TestChange(op, key, row, after, sequence, place, time, keyChanged);
  }

  /** The same as half of a changed primary key, at a place of its transaction. */
  public TestChange half(long newPlace) {
    return new TestChange(op, key, before, after, sequence, newPlace, time, true);
  }

  /** The total order, in a Kafka partition. */
  public String cdcOrd(int partition, long offset) {
    return new ChangeOrder(sequence, place, partition, offset).cdcOrd();
  }

  public static @Nullable String json(@Nullable Map<String, @Nullable Object> row) {
    return row == null ? null : JsonText.of(row);
  }

  private static Instant time(long sequence) {
    return START.plusSeconds(60 * sequence);
  }

  private static Map<String, @Nullable Object> row(long id, Object... columns) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("id", id);
    row.putAll(columns(columns));
    return row;
  }

  /** Names and values by turns; {@link #NULL} for null. */
  private static Map<String, @Nullable Object> columns(Object... columns) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    for (int i = 0; i < columns.length; i += 2) {
      row.put((String) columns[i], columns[i + 1] == NULL ? null : columns[i + 1]);
    }
    return row;
  }

  /** A null among the columns. */
  public static final Object NULL = new Object();
}

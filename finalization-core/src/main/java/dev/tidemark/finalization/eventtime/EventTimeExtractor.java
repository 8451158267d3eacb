package dev.tidemark.finalization.eventtime;

import java.io.Serializable;
import java.util.function.ToLongFunction;

/**
 * Reads the event time of a record. Called once per record on the writer's hot path, so the value
 * comes as a primitive and its absence as a separate question. Stateless; used by one thread per
 * instance.
 *
 * @param <T> the record
 */
public interface EventTimeExtractor<T> extends Serializable {
  /** Whether the record has an event time; one without is counted as null and moves nothing. */
  default boolean hasEventTime(T record) {
    return true;
  }

  /**
   * The event time in epoch milliseconds, UTC. Called only where {@link #hasEventTime} said yes.
   * May return any number: what lies outside the {@link EventTimeBounds} is counted as invalid.
   */
  long eventTimeMillis(T record);

  /** What the record is; only {@link RecordRole#STREAM} records move a watermark. */
  default RecordRole role(T record) {
    return RecordRole.STREAM;
  }

  /** An extractor for records that always have a number in a declared unit. */
  static <T, F extends ToLongFunction<T> & Serializable> EventTimeExtractor<T> ofNumber(
      F column, EventTimeUnit unit) {
    return record -> unit.toMillis(column.applyAsLong(record));
  }
}

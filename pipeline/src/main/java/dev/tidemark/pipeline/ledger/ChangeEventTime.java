package dev.tidemark.pipeline.ledger;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.pipeline.event.ChangeEvent;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Where the event time of a change comes from. Null means that the change has none: it must count
 * as a null event time in the facts and moves no watermark.
 */
@FunctionalInterface
public interface ChangeEventTime extends Serializable {
  /**
   * Microseconds since the epoch; null when the change has no event time.
   *
   * @throws UnmappableEventException when it has a value that is no event time
   */
  @Nullable Long eventTimeMicros(ChangeEvent event) throws UnmappableEventException;

  /** The database's own time of the change: always there, on MariaDB of whole seconds. */
  static ChangeEventTime sourceTime() {
    return ChangeEvent::sourceTimeMicros;
  }

  /**
   * A column of the row: of the after image, for a DELETE of the before image. When an UPDATE
   * leaves it out it did not change, and the before image says it. Null for TRUNCATE and where the
   * column is null or unavailable.
   */
  static ChangeEventTime of(String column, EventTimeUnit unit) {
    return event -> ImageEventTime.micros(event, column, unit);
  }
}

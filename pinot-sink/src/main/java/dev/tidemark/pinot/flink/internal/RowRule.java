package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/** Says which well-formed rows must not go into the table. Used by one thread per instance. */
@FunctionalInterface
public interface RowRule extends Serializable {
  /** Why the row is refused; null if it is welcome. */
  @Nullable String refusal(GenericRow row);

  /** Refuses nothing. */
  static RowRule none() {
    return row -> null;
  }
}

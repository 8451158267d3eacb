package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/** Says which well-formed rows must not go into the table. Used by one thread per instance. */
public interface RowRule extends Serializable {
  /** Called once in each subtask, before the first row. */
  void open();

  /** Why the row is refused; null if it is welcome. */
  @Nullable String refusal(GenericRow row);

  /** Refuses nothing. */
  static RowRule none() {
    return new Lenient();
  }

  /** Refuses nothing. */
  record Lenient() implements RowRule {
    private static final long serialVersionUID = 1L;

    @Override
    public void open() {}

    @Override
    public @Nullable String refusal(GenericRow row) {
      return null;
    }
  }
}

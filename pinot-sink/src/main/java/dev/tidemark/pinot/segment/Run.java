package dev.tidemark.pinot.segment;

import java.io.Serializable;
import java.util.Objects;

/**
 * One run of a backfill: made once on the client, restored from state. A restore raises the epoch,
 * so that a rewind to an older savepoint never names a new segment like one that is there already.
 *
 * @param id letters, digits, dots and dashes; never two underscores in a row, which Pinot's names
 *     are split at
 * @param startMillis when it was made, epoch milliseconds
 * @param restoreEpoch how often it was restored; 0 at first
 */
public record Run(String id, long startMillis, int restoreEpoch) implements Serializable {
  private static final long serialVersionUID = 1L;

  public Run {
    Objects.requireNonNull(id, "id is null");
    if (!id.matches("[A-Za-z0-9.-]{1,64}")) {
      throw new IllegalArgumentException(
          "Invalid run id: \"" + id + "\" (expected: 1 to 64 letters, digits, dots and dashes)");
    }
  }

  /** The same run after one more restore. */
  public Run restored() {
    return new Run(id, startMillis, restoreEpoch + 1);
  }
}

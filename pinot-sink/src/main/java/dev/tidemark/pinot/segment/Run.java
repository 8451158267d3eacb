package dev.tidemark.pinot.segment;

import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a backfill: made once on the client, restored from state. A restore raises the epoch,
 * so that a rewind to an older savepoint never names a new segment like one that is there already.
 *
 * @param id letters, digits, dots and dashes; never two underscores in a row, which Pinot's names
 *     are split at
 * @param startMillis when it was made, epoch milliseconds
 * @param restoreEpoch how often it was restored; 0 at first
 * @param restoredCheckpoint the checkpoint or savepoint it was restored from last: whatever an
 *     earlier epoch published after it is replaced; null at first, or where it is not known
 */
public record Run(String id, long startMillis, int restoreEpoch, @Nullable Long restoredCheckpoint)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public Run {
    Objects.requireNonNull(id, "id is null");
    if (!id.matches("[A-Za-z0-9.-]{1,64}")) {
      throw new IllegalArgumentException(
          "Invalid run id: \"" + id + "\" (expected: 1 to 64 letters, digits, dots and dashes)");
    }
  }

  /** A run that does not know what it was restored from. */
  public Run(String id, long startMillis, int restoreEpoch) {
    this(id, startMillis, restoreEpoch, null);
  }

  /** The same run after one more restore, from nobody knows where. */
  public Run restored() {
    return new Run(id, startMillis, restoreEpoch + 1);
  }

  /** The same run after one more restore, from this checkpoint. */
  public Run restored(long checkpointId) {
    return new Run(id, startMillis, restoreEpoch + 1, checkpointId);
  }
}

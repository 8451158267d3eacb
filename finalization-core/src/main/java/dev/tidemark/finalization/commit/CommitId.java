package dev.tidemark.finalization.commit;

import java.util.Objects;
import java.util.UUID;

/**
 * The identity of one commit: made once, when a checkpoint's files are put together, kept in state
 * and written into the commit, so that a commit that is delivered twice is found by it.
 *
 * @param value a random UUID
 */
public record CommitId(UUID value) {
  public CommitId {
    Objects.requireNonNull(value, "value is null");
  }

  /** A new id. */
  public static CommitId random() {
    return new CommitId(UUID.randomUUID());
  }

  @Override
  public String toString() {
    return value.toString();
  }
}

package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.commit.CommitId;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.UUID;

/**
 * Makes the ids of commits. With checkpoints an id is random and kept in state with its files.
 * Without them nothing is kept: after a failure all is read again, perhaps after the commit had
 * landed. The id is then that of the submission, the same at each attempt, and counts as made when
 * the job was submitted.
 */
final class CommitIds implements Serializable {
  private static final long serialVersionUID = 1L;

  private final UUID submission;
  private final long submittedAtMillis;

  /** Ids of a job that is submitted now. */
  CommitIds(Clock clock) {
    this.submission = UUID.randomUUID();
    this.submittedAtMillis = clock.millis();
  }

  /**
   * An id and its age.
   *
   * @param id the id
   * @param createdAtMillis no commit of this id is older
   */
  record Made(CommitId id, long createdAtMillis) {}

  /** The id of a commit that is put together now. */
  Made next(long checkpointId, boolean keptInState, long nowMillis) {
    if (keptInState) {
      return new Made(CommitId.random(), nowMillis);
    }
    String name = submission + "/" + checkpointId;
    UUID id = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    return new Made(new CommitId(id), submittedAtMillis);
  }
}

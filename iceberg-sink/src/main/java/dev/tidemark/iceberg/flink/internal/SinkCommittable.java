package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.coverage.Coverage;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One checkpoint on its way to the committer: what the stock sink's committable holds, and what is
 * added to it.
 *
 * @param manifests the stock {@code DeltaManifests} in bytes; empty without rows
 * @param jobId Flink job that made it
 * @param operatorId aggregator that made it
 * @param checkpointId checkpoint
 * @param trailer what is added; null in a committable that the stock sink wrote
 */
record SinkCommittable(
    byte[] manifests,
    String jobId,
    String operatorId,
    long checkpointId,
    @Nullable Trailer trailer) {

  /**
   * What is added to the stock committable.
   *
   * @param id the commit's id
   * @param createdAtMillis when the id was made
   * @param accumulated merged accumulators
   * @param coverage where the source stands; null without coverage
   * @param inputEnded whether the input ended and was declared complete
   */
  record Trailer(
      CommitId id,
      long createdAtMillis,
      Map<String, byte[]> accumulated,
      @Nullable Coverage coverage,
      boolean inputEnded) {}

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SinkCommittable that
        && jobId.equals(that.jobId)
        && operatorId.equals(that.operatorId)
        && checkpointId == that.checkpointId
        && Objects.equals(id(), that.id());
  }

  @Override
  public int hashCode() {
    return Objects.hash(jobId, operatorId, checkpointId, id());
  }

  @Override
  public String toString() {
    return "checkpoint " + checkpointId + " of job " + jobId + ", commit " + id();
  }

  private @Nullable CommitId id() {
    return trailer == null ? null : trailer.id();
  }
}

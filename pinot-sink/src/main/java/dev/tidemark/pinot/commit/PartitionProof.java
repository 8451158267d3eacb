package dev.tidemark.pinot.commit;

import java.io.Serializable;
import java.util.Objects;

/**
 * How a run shows that its partitioner is the stream's own.
 *
 * @param partitioner what the run partitions by
 * @param samples where real keys come from
 * @param acceptsInconclusive whether the run goes on where there is too little to see: a table that
 *     nothing was streamed into yet. The user's own choice
 */
public record PartitionProof(
    KeyPartitioner partitioner, KeySamples samples, boolean acceptsInconclusive)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public PartitionProof {
    Objects.requireNonNull(partitioner, "partitioner is null");
    Objects.requireNonNull(samples, "samples is null");
  }
}

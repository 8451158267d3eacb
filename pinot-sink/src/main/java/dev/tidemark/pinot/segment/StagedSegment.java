package dev.tidemark.pinot.segment;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A segment that was built and lies on the staging file system, waiting to be published: the same
 * bytes however often it is pushed. Immutable.
 *
 * @param name the segment's name
 * @param crc as in its {@code creation.meta}
 * @param files where it lies
 * @param partition the stream's partition whose keys it holds; null on a table without partitions
 * @param rows rows in it, positive
 * @param creationTimeMillis as in its {@code creation.meta}; decides ties of an upsert table
 * @param times first and last value of the time column; null without one
 */
public record StagedSegment(
    String name,
    long crc,
    Files files,
    @Nullable Integer partition,
    long rows,
    long creationTimeMillis,
    @Nullable Times times) {
  public StagedSegment {
    Objects.requireNonNull(name, "name is null");
    Objects.requireNonNull(files, "files is null");
  }

  /**
   * @param tarUri the whole segment
   * @param metadataUri a tar.gz of {@code metadata.properties} and {@code creation.meta}, for a
   *     METADATA push
   * @param tarBytes size of the whole segment's tar
   */
  public record Files(String tarUri, String metadataUri, long tarBytes) {}

  /**
   * @param minMillis inclusive, epoch milliseconds
   * @param maxMillis inclusive, epoch milliseconds
   */
  public record Times(long minMillis, long maxMillis) {}
}

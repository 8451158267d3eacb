package dev.tidemark.pinot;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.segment.Run;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a finished commit says of itself, on its carrier and in the ledger. Immutable.
 *
 * @param commitId the commit's id
 * @param run the run that made it, as it stood then
 * @param checkpointId its checkpoint; {@link Long#MAX_VALUE} for the end of input
 * @param carrier the segment that carries it; null for a commit without segments before any other
 * @param timeMillis when it was made, epoch milliseconds
 * @param size how much it is
 * @param finished whether the run ended with it
 * @param parent the carrier that it was decided on; null for none
 */
public record CommitRecord(
    String commitId,
    RunRef run,
    long checkpointId,
    @Nullable String carrier,
    long timeMillis,
    Size size,
    boolean finished,
    @Nullable String parent) {

  /**
   * Which run.
   *
   * @param id its id
   * @param restoreEpoch how often it had been restored
   */
  public record RunRef(String id, int restoreEpoch) {
    /** Of a run. */
    public static RunRef of(Run run) {
      return new RunRef(run.id(), run.restoreEpoch());
    }
  }

  /**
   * How much.
   *
   * @param segments of the commit
   * @param rows of the commit
   * @param runSegments of the run so far
   * @param beginMillis least time of its rows, inclusive; null without a time column
   * @param endMillis greatest time of its rows, inclusive; null without a time column
   * @param runBeginMillis least time of the run's rows so far, inclusive; null without a time
   *     column
   */
  public record Size(
      long segments,
      long rows,
      long runSegments,
      @Nullable Long beginMillis,
      @Nullable Long endMillis,
      @Nullable Long runBeginMillis) {}

  /** The same commit, as if its run had this many segments. */
  public CommitRecord withRunSegments(long count) {
    Size counted =
        new Size(
            size.segments(),
            size.rows(),
            count,
            size.beginMillis(),
            size.endMillis(),
            size.runBeginMillis());
    return new CommitRecord(
        commitId, run, checkpointId, carrier, timeMillis, counted, finished, parent);
  }

  /**
   * Reads a custom map or a ledger.
   *
   * @return empty if there is no finished commit in it
   */
  public static Optional<CommitRecord> read(Map<String, String> properties) {
    Long time = FinalizationProperties.number(properties, PinotProperties.COMMIT_TIME_MS);
    String id = properties.get(FinalizationProperties.COMMIT_ID);
    String run = properties.get(PinotProperties.RUN);
    if (time == null || id == null || run == null) {
      return Optional.empty();
    }
    return Optional.of(
        new CommitRecord(
            id,
            new RunRef(run, (int) count(properties, PinotProperties.RUN_EPOCH)),
            count(properties, PinotProperties.CHECKPOINT),
            properties.get(PinotProperties.CARRIER),
            time,
            new Size(
                count(properties, PinotProperties.SEGMENTS),
                count(properties, PinotProperties.ROWS),
                count(properties, PinotProperties.RUN_SEGMENTS),
                FinalizationProperties.number(properties, PinotProperties.BEGIN_MS),
                FinalizationProperties.number(properties, PinotProperties.END_MS),
                FinalizationProperties.number(properties, PinotProperties.RUN_BEGIN_MS)),
            Boolean.parseBoolean(properties.get(PinotProperties.RUN_FINISHED)),
            properties.get(PinotProperties.PARENT)));
  }

  /** What each segment of the commit bears, so that its carrier is found from any of them. */
  public Map<String, String> pointer() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(FinalizationProperties.COMMIT_ID, commitId);
    properties.put(PinotProperties.RUN, run.id());
    if (run.restoreEpoch() > 0) {
      properties.put(PinotProperties.RUN_EPOCH, Integer.toString(run.restoreEpoch()));
    }
    properties.put(PinotProperties.CHECKPOINT, Long.toString(checkpointId));
    put(properties, PinotProperties.CARRIER, carrier);
    return properties;
  }

  /** What the carrier bears. */
  public Map<String, String> properties() {
    Map<String, String> properties = pointer();
    properties.put(PinotProperties.COMMIT_TIME_MS, Long.toString(timeMillis));
    properties.put(PinotProperties.SEGMENTS, Long.toString(size.segments()));
    properties.put(PinotProperties.ROWS, Long.toString(size.rows()));
    properties.put(PinotProperties.RUN_SEGMENTS, Long.toString(size.runSegments()));
    put(properties, PinotProperties.BEGIN_MS, size.beginMillis());
    put(properties, PinotProperties.END_MS, size.endMillis());
    put(properties, PinotProperties.RUN_BEGIN_MS, size.runBeginMillis());
    put(properties, PinotProperties.RUN_FINISHED, finished ? "true" : null);
    put(properties, PinotProperties.PARENT, parent);
    return properties;
  }

  private static void put(Map<String, String> properties, String key, @Nullable Object value) {
    if (value != null) {
      properties.put(key, value.toString());
    }
  }

  private static long count(Map<String, String> properties, String key) {
    Long value = FinalizationProperties.number(properties, key);
    return value == null ? 0 : value;
  }
}

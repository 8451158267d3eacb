package dev.tidemark.pinot;

import dev.tidemark.finalization.watermark.FinalizationProperties;

/**
 * The keys that Pinot's side adds to those of {@link FinalizationProperties}: in the custom maps of
 * segments and, as the ledger, in the table config. Times are epoch milliseconds UTC.
 */
public final class PinotProperties {
  /** On each segment: the run that published it. */
  public static final String RUN = FinalizationProperties.PREFIX + "run";

  /** On each segment: how often the run had been restored; absent for never. */
  public static final String RUN_EPOCH = FinalizationProperties.PREFIX + "run-epoch";

  /** On each segment: the checkpoint of its commit. */
  public static final String CHECKPOINT = FinalizationProperties.PREFIX + "checkpoint";

  /** On each segment: the one of the same commit that carries facts, opinion and record. */
  public static final String CARRIER = FinalizationProperties.PREFIX + "carrier";

  /** On the carrier: when the commit was made. A segment without it is no finished carrier. */
  public static final String COMMIT_TIME_MS = FinalizationProperties.PREFIX + "commit-time-ms";

  /** On the carrier: how many segments the commit has. */
  public static final String SEGMENTS = FinalizationProperties.PREFIX + "segments";

  /** On the carrier: how many rows the commit has. */
  public static final String ROWS = FinalizationProperties.PREFIX + "rows";

  /** On the carrier: how many segments the run has published that count, this commit's included. */
  public static final String RUN_SEGMENTS = FinalizationProperties.PREFIX + "run-segments";

  /**
   * On the carrier: what the run made at this checkpoint or a later one, before its last restore,
   * counts no more; absent for a run that was never restored, and on tables with upsert.
   */
  public static final String RUN_WITHDRAWN_FROM =
      FinalizationProperties.PREFIX + "run-withdrawn-from";

  /** On the carrier: {@code true} where the run ended with the commit. */
  public static final String RUN_FINISHED = FinalizationProperties.PREFIX + "run-finished";

  /** On the carrier: the least time of the commit's rows; absent without a time column. */
  public static final String BEGIN_MS = FinalizationProperties.PREFIX + "begin-ms";

  /** On the carrier: the greatest time of the commit's rows; absent without a time column. */
  public static final String END_MS = FinalizationProperties.PREFIX + "end-ms";

  /**
   * On the carrier: the least time of the rows that the run has published and that count; absent
   * without a time column. What retention may have taken of a run is judged by it.
   */
  public static final String RUN_BEGIN_MS = FinalizationProperties.PREFIX + "run-begin-ms";

  /** On the carrier: the carrier that the commit was decided on; absent for the first. */
  public static final String PARENT = FinalizationProperties.PREFIX + "parent";

  /** On the carrier: {@code true} where the opinion was carried over from another table. */
  public static final String CARRIED_OVER = FinalizationProperties.PREFIX + "carried-over";

  /** In the ledger: finished runs with their restore epochs: {@code load-1:0,load-2:3}. */
  public static final String FINISHED_RUNS = FinalizationProperties.PREFIX + "finished-runs";

  /** In the ledger: runs that have replaced segments of others: {@code load-1:0,load-2:0}. */
  public static final String REPLACING_RUNS = FinalizationProperties.PREFIX + "replacing-runs";

  /** In the table config's custom configs: one key per writer, the name after it. */
  static final String MIRROR_PREFIX = FinalizationProperties.PREFIX + "writer.";

  /** In the table config's custom configs: the ledger of sinks without finalization. */
  static final String LEDGER = FinalizationProperties.PREFIX + "ledger";

  /** In the table config's custom configs: what an administrator has said. */
  static final String ADMIN = FinalizationProperties.PREFIX + "admin";

  private PinotProperties() {}
}

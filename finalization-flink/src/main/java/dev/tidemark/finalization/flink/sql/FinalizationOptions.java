package dev.tidemark.finalization.flink.sql;

import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The table options that configure finalization in SQL, for tables of every store: as properties of
 * the table, or as hints of one INSERT, which win. What belongs to the table (event time, policy,
 * granularity) is best kept in its properties, what belongs to a job ({@link #WRITER}, {@link
 * #READ_FROM}, {@link #INPUT_IS_COMPLETE}) in its hints. With none of them commits carry no facts;
 * with any, {@link #WRITER} and {@link #EVENT_TIME_COLUMN} are required.
 *
 * <p>Not reachable from SQL: coverage of the source, and with it the policy {@code source-promise},
 * since no SQL source reports where it stands; accumulators, commit processors and listeners of
 * your own. All are there in the DataStream API of the sinks.
 */
public final class FinalizationOptions {
  /** The common prefix. The sink itself keeps its results under {@code finalization.}. */
  public static final String PREFIX = "tidemark.sink.";

  /** The stable name of the job as a writer of the table; no default, required. */
  public static final ConfigOption<String> WRITER =
      ConfigOptions.key(PREFIX + "writer")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "The stable name of this job as a writer of the table, unique among the jobs that"
                  + " write it; it outlives resubmission. Switches finalization on.");

  /** The column that holds the event time; no default, required. */
  public static final ConfigOption<String> EVENT_TIME_COLUMN =
      ConfigOptions.key(PREFIX + "event-time.column")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "The top-level column that holds the event time: a timestamp, or a BIGINT or a STRING"
                  + " with its unit.");

  /** The unit of an event time that is a number or text; none by default, for a timestamp. */
  public static final ConfigOption<String> EVENT_TIME_UNIT =
      ConfigOptions.key(PREFIX + "event-time.unit")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "The unit of an event time that is no timestamp: seconds, millis, micros, nanos, tso"
                  + " or iso-8601.");

  /** The column that is true in rows of a bootstrap; none by default. */
  public static final ConfigOption<String> SNAPSHOT_COLUMN =
      ConfigOptions.key(PREFIX + "event-time.snapshot-column")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A BOOLEAN column that is true in rows of a bootstrap's snapshot, which are counted"
                  + " apart and move no watermark.");

  /** The column that is true in rows that are old on purpose; none by default. */
  public static final ConfigOption<String> BACKFILL_COLUMN =
      ConfigOptions.key(PREFIX + "event-time.backfill-column")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A BOOLEAN column that is true in rows that are old on purpose, or sent again, which"
                  + " are counted apart and move no watermark.");

  /** How facts become a candidate for the watermark. */
  public static final ConfigOption<String> POLICY =
      ConfigOptions.key(PREFIX + "policy")
          .stringType()
          .defaultValue("min")
          .withDescription(
              "How the facts of a commit become a candidate: min, quantile:0.01 or"
                  + " bounded-lateness:PT10M.");

  /** The window, in commits. */
  public static final ConfigOption<Integer> LOOKBACK_COMMITS =
      ConfigOptions.key(PREFIX + "lookback.commits")
          .intType()
          .defaultValue(6)
          .withDescription(
              "The candidate is the least of at least so many commits with stream records; at least"
                  + " 1.");

  /** The window, in commit time. */
  public static final ConfigOption<Duration> LOOKBACK_SPAN =
      ConfigOptions.key(PREFIX + "lookback.span")
          .durationType()
          .defaultValue(Duration.ofMinutes(30))
          .withDescription("And of at least so much commit time: 30 min, or PT30M.");

  /** The slices of time that become final. */
  public static final ConfigOption<String> GRANULARITY =
      ConfigOptions.key(PREFIX + "granularity")
          .stringType()
          .defaultValue("PT1H")
          .withDescription(
              "The slices of time that become final: a duration that divides a day (PT15M, PT1H,"
                  + " P1D), or the days of a zone (P1D@Asia/Seoul).");

  /** From when on every event is read; inferred from the first commit by default. */
  public static final ConfigOption<String> READ_FROM =
      ConfigOptions.key(PREFIX + "read-from")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Declares that every event at or after this time is read: an ISO instant, or beginning"
                  + " for all there are. Without it the latest event time of the first commit"
                  + " decides.");

  /** Whether the end of the input completes the last slice. */
  public static final ConfigOption<Boolean> INPUT_IS_COMPLETE =
      ConfigOptions.key(PREFIX + "input-is-complete")
          .booleanType()
          .defaultValue(false)
          .withDescription(
              "Declares that the bounded input is complete when it ends: the slice of its latest"
                  + " event time becomes final too. Refused for an unbounded input.");

  /** All of them. */
  public static final List<ConfigOption<?>> ALL =
      List.of(
          WRITER,
          EVENT_TIME_COLUMN,
          EVENT_TIME_UNIT,
          SNAPSHOT_COLUMN,
          BACKFILL_COLUMN,
          POLICY,
          LOOKBACK_COMMITS,
          LOOKBACK_SPAN,
          GRANULARITY,
          READ_FROM,
          INPUT_IS_COMPLETE);

  private FinalizationOptions() {}
}

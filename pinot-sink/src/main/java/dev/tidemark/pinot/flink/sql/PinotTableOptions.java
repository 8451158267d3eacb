package dev.tidemark.pinot.flink.sql;

import dev.tidemark.finalization.flink.sql.FinalizationOptions;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.TieRule;
import dev.tidemark.pinot.segment.TarCompression;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of a table with {@code 'connector' = 'tidemark-pinot'}, beside those of {@link
 * FinalizationOptions}. Each can be given in a hint of an INSERT, which wins. Accumulators, hooks,
 * key samples, TLS settings and replaced segments of one's own are options of {@link
 * dev.tidemark.pinot.flink.PinotSinkBuilder} alone.
 */
public final class PinotTableOptions {
  /** What becomes of a row that the table cannot or must not take. */
  public enum DeadLetterMode {
    /** The job fails for good, with the reason. */
    FAIL,
    /** The row is left out, counted in the metric {@code pinot.deadLetters}, and logged. */
    LOG
  }

  /** How the values of a key column became bytes of the stream's message key. */
  public enum KeyFormat {
    /** Text in UTF-8. */
    STRING,
    /** Four bytes, big-endian. */
    INT32,
    /** Eight bytes, big-endian. */
    INT64,
    /** Bytes as they are. */
    BYTES
  }

  /** The controller; no default, required. */
  public static final ConfigOption<String> CONTROLLER_URL =
      ConfigOptions.key("controller-url")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "The controller, such as https://pinot.example.com:9000; a path before its API is"
                  + " kept.");

  /** The brokers, where their names do not resolve here; those the controller names by default. */
  public static final ConfigOption<List<String>> BROKER_URLS =
      ConfigOptions.key("broker-urls")
          .stringType()
          .asList()
          .noDefaultValue()
          .withDescription(
              "The brokers to ask whether rows are visible, separated by semicolons, where the"
                  + " names that the controller knows them by do not resolve. By default those that"
                  + " the controller names.");

  /** The user of basic authentication; none by default. */
  public static final ConfigOption<String> AUTH_USER =
      ConfigOptions.key("auth.user")
          .stringType()
          .noDefaultValue()
          .withDescription("The user of basic authentication; with auth.password.");

  /** The password of basic authentication; none by default. */
  public static final ConfigOption<String> AUTH_PASSWORD =
      ConfigOptions.key("auth.password")
          .stringType()
          .noDefaultValue()
          .withDescription("The password of basic authentication; with auth.user.");

  /** A bearer token; none by default. */
  public static final ConfigOption<String> AUTH_TOKEN =
      ConfigOptions.key("auth.token")
          .stringType()
          .noDefaultValue()
          .withDescription("A bearer token that does not change while the job runs.");

  /** A file with a bearer token; none by default. */
  public static final ConfigOption<String> AUTH_TOKEN_FILE =
      ConfigOptions.key("auth.token-file")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A file that holds a bearer token, read anew at each request; the same path on the"
                  + " client and on every task manager.");

  /** The table's name in Pinot; no default, required. */
  public static final ConfigOption<String> TABLE =
      ConfigOptions.key("table")
          .stringType()
          .noDefaultValue()
          .withDescription("The name of the table in Pinot, without the suffix of its type.");

  /** The table's type; no default, required. */
  public static final ConfigOption<PinotTable.Type> TABLE_TYPE =
      ConfigOptions.key("table-type")
          .enumType(PinotTable.Type.class)
          .noDefaultValue()
          .withDescription("Which of the tables of that name: OFFLINE or REALTIME.");

  /** Where segments lie until they are seen in Pinot. */
  public static final ConfigOption<String> STAGING =
      ConfigOptions.key("staging")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A directory for segments until they are seen in Pinot, on a file system that every"
                  + " task manager reaches. By default outputDirURI of the table's batch"
                  + " configuration, else a local directory, which serves a single machine only.");

  /** Rows of a full segment. */
  public static final ConfigOption<Long> SEGMENT_ROWS =
      ConfigOptions.key("segment.rows")
          .longType()
          .defaultValue(500_000L)
          .withDescription("How many rows fill a segment.");

  /** Heap of a full buffer. */
  public static final ConfigOption<MemorySize> SEGMENT_SIZE =
      ConfigOptions.key("segment.size")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(256))
          .withDescription("How much heap a buffer may take before it becomes a segment.");

  /** Age of a full buffer. */
  public static final ConfigOption<Duration> SEGMENT_AGE =
      ConfigOptions.key("segment.age")
          .durationType()
          .defaultValue(Duration.ofHours(1))
          .withDescription(
              "How old a buffer may become before it is a segment, looked at with every"
                  + " checkpoint. It becomes visible with the next commit, not before.");

  /** Heap of all open buffers of a writer. */
  public static final ConfigOption<MemorySize> WRITER_MEMORY =
      ConfigOptions.key("writer.memory")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(512))
          .withDescription(
              "How much heap all open buffers of one writer may take; beyond it the largest"
                  + " becomes a segment early.");

  /** How tars are compressed. */
  public static final ConfigOption<TarCompression> COMPRESSION =
      ConfigOptions.key("compression")
          .enumType(TarCompression.class)
          .defaultValue(TarCompression.ZSTD)
          .withDescription("How segments are compressed: zstd, or gzip for an old Pinot.");

  /** How often rows become visible. */
  public static final ConfigOption<Duration> COMMIT_INTERVAL =
      ConfigOptions.key("commit.interval")
          .durationType()
          .defaultValue(Duration.ofMinutes(5))
          .withDescription(
              "How often rows become visible in a stream with checkpoints, rounded to a whole"
                  + " number of checkpoints, at least one.");

  /** A name for the run; made up by default. */
  public static final ConfigOption<String> RUN_ID =
      ConfigOptions.key("run-id")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A name for this run of the statement; a run that has finished is not run again. By"
                  + " default one is made up, so that each start is a new run. Belongs into a"
                  + " hint.");

  /** Partitions of the stream; required for a REALTIME table. */
  public static final ConfigOption<Integer> PARTITIONS =
      ConfigOptions.key("partitions")
          .intType()
          .noDefaultValue()
          .withDescription(
              "How many partitions the topic has that the REALTIME table consumes; required for"
                  + " such a table.");

  /** The columns of the message key; the primary key by default. */
  public static final ConfigOption<List<String>> PARTITION_KEY_COLUMNS =
      ConfigOptions.key("partition.key-columns")
          .stringType()
          .asList()
          .noDefaultValue()
          .withDescription(
              "The columns that make the message key of the topic, in their order, separated by"
                  + " semicolons; by default the primary key of the table in Pinot.");

  /** How key columns became bytes. */
  public static final ConfigOption<List<KeyFormat>> PARTITION_KEY_FORMAT =
      ConfigOptions.key("partition.key-format")
          .enumType(KeyFormat.class)
          .asList()
          .defaultValues(KeyFormat.STRING)
          .withDescription(
              "How the producer's serializer made bytes of each key column: string, int32, int64"
                  + " or bytes, separated by semicolons. The partition is Kafka's: murmur2 over"
                  + " them.");

  /** Whether to go on where nothing can prove the partitioning. */
  public static final ConfigOption<Boolean> PARTITION_ACCEPT_UNPROVEN =
      ConfigOptions.key("partition.accept-unproven")
          .booleanType()
          .defaultValue(false)
          .withDescription(
              "Goes on where the table has no streamed row yet to prove the partitioning with.");

  /** Who wins a tie. */
  public static final ConfigOption<TieRule> TIE_RULE =
      ConfigOptions.key("tie-rule")
          .enumType(TieRule.class)
          .defaultValue(TieRule.STREAM_WINS)
          .withDescription(
              "Who wins where a streamed and a loaded row of one key have equal comparison values:"
                  + " stream_wins, or backfill_wins.");

  /** What becomes of bad rows. */
  public static final ConfigOption<DeadLetterMode> DEAD_LETTERS =
      ConfigOptions.key("dead-letters")
          .enumType(DeadLetterMode.class)
          .defaultValue(DeadLetterMode.FAIL)
          .withDescription(
              "What becomes of a row that the table cannot or must not take: fail the job, or log"
                  + " it and go on; it is counted in any case.");

  /** Those that must be there. */
  static final List<ConfigOption<?>> REQUIRED = List.of(CONTROLLER_URL, TABLE, TABLE_TYPE);

  /** Those that may be. */
  static final List<ConfigOption<?>> OPTIONAL =
      List.of(
          BROKER_URLS,
          AUTH_USER,
          AUTH_PASSWORD,
          AUTH_TOKEN,
          AUTH_TOKEN_FILE,
          STAGING,
          SEGMENT_ROWS,
          SEGMENT_SIZE,
          SEGMENT_AGE,
          WRITER_MEMORY,
          COMPRESSION,
          COMMIT_INTERVAL,
          RUN_ID,
          PARTITIONS,
          PARTITION_KEY_COLUMNS,
          PARTITION_KEY_FORMAT,
          PARTITION_ACCEPT_UNPROVEN,
          TIE_RULE,
          DEAD_LETTERS);

  private PinotTableOptions() {}
}

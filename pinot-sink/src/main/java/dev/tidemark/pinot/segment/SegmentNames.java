package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.PinotTable;
import java.io.Serializable;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.pinot.segment.spi.creator.name.UploadedRealtimeSegmentNameGenerator;
import org.apache.pinot.spi.ingestion.batch.BatchConfigProperties;
import org.jspecify.annotations.Nullable;

/**
 * Names segments so that no two of a table are alike: by run, restore epoch, subtask and sequence.
 * The prefix and the postfix come from the table's batch configuration, if it has one. Immutable.
 */
public final class SegmentNames implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String SPLIT = "__";
  private static final Pattern INVALID = Pattern.compile("[\\\\/:*?\"<>|\\s]");

  private final PinotTable table;
  private final @Nullable String prefix;
  private final @Nullable String postfix;

  private SegmentNames(PinotTable table, @Nullable String prefix, @Nullable String postfix) {
    this.table = table;
    this.prefix = prefix;
    this.postfix = postfix;
  }

  /**
   * Names with the prefix and postfix that the table's own batch configuration gives.
   *
   * @throws IllegalArgumentException if a part of the names is invalid
   */
  public static SegmentNames of(SegmentTable table) {
    return of(table, null);
  }

  /**
   * Names with this prefix.
   *
   * @param prefix null to take that of the table's batch configuration
   * @throws IllegalArgumentException if a part of the names is invalid
   */
  public static SegmentNames of(SegmentTable table, @Nullable String prefix) {
    Map<String, String> batch = table.batchConfig();
    String chosen = prefix != null ? prefix : get(batch, BatchConfigProperties.SEGMENT_NAME_PREFIX);
    SegmentNames names =
        new SegmentNames(
            table.table(), chosen, get(batch, BatchConfigProperties.SEGMENT_NAME_POSTFIX));
    names.check("prefix", names.prefix);
    names.check("postfix", names.postfix);
    names.check("table name", table.table().rawName());
    return names;
  }

  /**
   * The name of a segment of an OFFLINE table: {@code orders_run_0_3_12}. Never with two
   * underscores in a row, which Pinot takes names of streamed segments apart at.
   */
  public String offline(Run run, int subtask, long sequence) {
    String first = prefix != null ? prefix : table.rawName();
    String last = postfix == null ? "" : "_" + postfix;
    return (first + "_" + counted(run, subtask, sequence) + last).replaceAll("_{2,}", "_");
  }

  /**
   * The name of a segment of a REALTIME table, by Pinot's own generator, whatever the table's batch
   * configuration asks for: {@code backfill__orders__3__1767225600000__run_0_3_12}.
   *
   * @param partition the stream's partition whose keys the segment holds
   */
  public String realtime(Run run, int partition, int subtask, long sequence) {
    String suffix = counted(run, subtask, sequence) + (postfix == null ? "" : "_" + postfix);
    return new UploadedRealtimeSegmentNameGenerator(
            table.rawName(),
            partition,
            run.startMillis(),
            prefix != null ? prefix : "backfill",
            suffix)
        .generateSegmentName(0, null, null);
  }

  private static String counted(Run run, int subtask, long sequence) {
    return run.id() + "_" + run.restoreEpoch() + "_" + subtask + "_" + sequence;
  }

  private void check(String what, @Nullable String part) {
    if (part == null) {
      return;
    }
    boolean splits = table.type() == PinotTable.Type.REALTIME && splits(part);
    if (part.isBlank() || INVALID.matcher(part).find() || splits) {
      throw new IllegalArgumentException(
          "Cannot name segments of table %s with %s \"%s\" (expected: no blanks, none of \\ / : * ? \" < > |%s)"
              .formatted(
                  table,
                  what,
                  part,
                  splits
                      ? ", no two underscores in a row and none at either end: Pinot reads the partition from between them"
                      : ""));
    }
  }

  private static boolean splits(String part) {
    return part.contains(SPLIT) || part.startsWith("_") || part.endsWith("_");
  }

  private static @Nullable String get(Map<String, String> batch, String key) {
    String value = batch.get(BatchConfigProperties.SEGMENT_NAME_GENERATOR_PROP_PREFIX + "." + key);
    String given = value != null ? value : batch.get(key);
    return given == null || given.isBlank() ? null : given;
  }
}

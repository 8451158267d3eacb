package dev.tidemark.spark.maintenance;

import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.actions.RewriteDataFiles;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.spark.actions.SparkActions;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites small files of a ledger partitioned by hours of {@code cdc_event_time}, hour by hour.
 * Rewrites add no row: watermarks, merges and readers step over them. An hour is taken when one of
 * its partitions holds at least {@code minFiles} files below three quarters of the target size.
 *
 * <p>Final hours are the natural moment: after the watermark has passed, an hour gets only late
 * rows, and is taken again when enough of them have come. The hours that an increment touched are
 * worth it before a merge of the whole ledger; a merge of a range reads the files as they were
 * appended, so for it alone compaction saves nothing.
 *
 * @param minFiles small files of one partition, at least 2
 * @param targetFileBytes size of the files to write, at least 1
 */
public record LedgerCompaction(int minFiles, long targetFileBytes) {
  private static final long HOUR_MICROS = Duration.ofHours(1).toMillis() * 1_000;

  public LedgerCompaction {
    if (minFiles < 2 || targetFileBytes < 1) {
      throw new IllegalArgumentException(
          "minFiles: %d, targetFileBytes: %d (expected: >= 2, >= 1)"
              .formatted(minFiles, targetFileBytes));
    }
  }

  /** As in production: five files, 512 MB. */
  public static LedgerCompaction standard() {
    return new LedgerCompaction(5, 512L << 20);
  }

  /**
   * What was rewritten.
   *
   * @param hours hours that were taken
   * @param rewritten files that are gone
   * @param added files that replace them
   */
  public record Result(int hours, int rewritten, int added) {}

  /** Rewrites hours that lie wholly before the ledger's watermark; none without a watermark. */
  public Result finalHours(SparkSession spark, TableName ledger) {
    Table table = SparkTables.load(spark, ledger);
    Long watermark = TableTruth.read(table, SnapshotRef.MAIN_BRANCH).watermarkMillis();
    if (watermark == null) {
      return new Result(0, 0, 0);
    }
    long firstOpenHour = Math.floorDiv(watermark, Duration.ofHours(1).toMillis());
    return rewrite(spark, table, crowded(table, null).headSet((int) firstOpenHour));
  }

  /**
   * Rewrites hours that got rows since a snapshot.
   *
   * @param since exclusive; null for all of the ledger
   */
  public Result touchedHours(SparkSession spark, TableName ledger, @Nullable Long since) {
    Table table = SparkTables.load(spark, ledger);
    return rewrite(spark, table, crowded(table, touched(table, since)));
  }

  private Result rewrite(SparkSession spark, Table table, SortedSet<Integer> hours) {
    int rewritten = 0;
    int added = 0;
    for (int hour : hours) {
      RewriteDataFiles.Result result =
          SparkActions.get(spark)
              .rewriteDataFiles(table)
              .filter(hour(hour))
              .option(RewriteDataFiles.TARGET_FILE_SIZE_BYTES, Long.toString(targetFileBytes))
              .option("min-input-files", Integer.toString(minFiles))
              .execute();
      rewritten += result.rewrittenDataFilesCount();
      added += result.addedDataFilesCount();
    }
    return new Result(hours.size(), rewritten, added);
  }

  private static Expression hour(int hour) {
    return Expressions.and(
        Expressions.greaterThanOrEqual(LedgerSchema.EVENT_TIME, hour * HOUR_MICROS),
        Expressions.lessThan(LedgerSchema.EVENT_TIME, (hour + 1) * HOUR_MICROS));
  }

  /** Hours with a partition that holds many small files; of the given ones, or of all. */
  private SortedSet<Integer> crowded(Table table, @Nullable SortedSet<Integer> of) {
    Map<Integer, Map<String, Integer>> small = new TreeMap<>();
    forEach(
        table.newScan().planFiles(),
        task -> {
          Integer hour = hour(table, task);
          if (hour != null && task.file().fileSizeInBytes() < targetFileBytes / 4 * 3) {
            small
                .computeIfAbsent(hour, key -> new HashMap<>())
                .merge(task.file().partition().toString(), 1, Integer::sum);
          }
        });
    SortedSet<Integer> hours = new TreeSet<>();
    small.forEach(
        (hour, partitions) -> {
          boolean asked = of == null || of.contains(hour);
          if (asked && partitions.values().stream().anyMatch(files -> files >= minFiles)) {
            hours.add(hour);
          }
        });
    return hours;
  }

  private static SortedSet<Integer> touched(Table table, @Nullable Long since) {
    SortedSet<Integer> hours = new TreeSet<>();
    var scan = table.newIncrementalAppendScan();
    forEach(
        (since == null ? scan : scan.fromSnapshotExclusive(since)).planFiles(),
        task -> {
          Integer hour = hour(table, task);
          if (hour != null) {
            hours.add(hour);
          }
        });
    return hours;
  }

  /** The hour of a file; null for rows without event time, and where the table has no hours. */
  private static @Nullable Integer hour(Table table, FileScanTask task) {
    PartitionSpec spec = Objects.requireNonNull(table.specs().get(task.file().specId()));
    List<PartitionField> fields = spec.fields();
    int column = table.schema().findField(LedgerSchema.EVENT_TIME).fieldId();
    StructLike partition = task.file().partition();
    for (int i = 0; i < fields.size(); i++) {
      PartitionField field = fields.get(i);
      if (field.sourceId() == column && field.transform().toString().equals("hour")) {
        return partition.get(i, Integer.class);
      }
    }
    return null;
  }

  private static void forEach(
      CloseableIterable<FileScanTask> tasks, java.util.function.Consumer<FileScanTask> action) {
    try (tasks) {
      tasks.forEach(action);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

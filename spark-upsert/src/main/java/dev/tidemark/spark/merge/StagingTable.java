package dev.tidemark.spark.merge;

import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.spark.plan.SessionSettings;
import dev.tidemark.spark.plan.ShuffledBytes;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.CommitMetadata;
import org.apache.spark.sql.SparkSession;

/**
 * The increment once more, with the buckets of the base table: where a ledger is bucketed in
 * another way, its rows are sent over the network once, alone, and the join with the base table
 * then needs no shuffle. Holds one increment at a time; every base table needs its own.
 */
final class StagingTable {
  private static final String ID = "tidemark.staging-id";

  /** Else an older increment stays in the buckets that this one does not touch. */
  private static final Map<String, String> WHOLE_TABLE =
      Map.of("spark.sql.sources.partitionOverwriteMode", "static");

  private static final Pattern BUCKET = Pattern.compile("bucket\\[(\\d+)\\]");

  private final SparkSession spark;
  private final TableName name;
  private final BaseColumns columns;

  StagingTable(SparkSession spark, TableName name, BaseColumns columns) {
    this.spark = spark;
    this.name = name;
    this.columns = columns;
  }

  /**
   * What was staged.
   *
   * @param view of it
   * @param shuffledBytes what it cost to bring each row to the task of its bucket
   */
  record Staged(String view, long shuffledBytes) {}

  /**
   * Fills it with the changes of a view, and makes a view of that.
   *
   * @throws IllegalArgumentException if the base table's partitions are not by bucket or by value,
   *     or the table has other columns
   */
  Staged fill(Table base, String increment) {
    spark.sql(
        "CREATE TABLE IF NOT EXISTS %s USING iceberg PARTITIONED BY (%s) AS SELECT %s FROM %s LIMIT 0"
            .formatted(name.sql(), partitions(base), selected(), increment));
    expectColumns();
    String id = UUID.randomUUID().toString();
    String statement =
        "INSERT OVERWRITE %s SELECT %s FROM %s WHERE op <> 'T'"
            .formatted(name.sql(), selected(), increment);
    long shuffled =
        SessionSettings.run(
            spark,
            WHOLE_TABLE,
            () ->
                CommitMetadata.withCommitProperties(
                    Map.of(ID, id),
                    () -> ShuffledBytes.ofCommand(spark.sql(statement)),
                    RuntimeException.class));
    String view = increment + "_staged";
    spark
        .read()
        .format("iceberg")
        .option("snapshot-id", Long.toString(snapshotOf(id)))
        .load(name.sql())
        .createOrReplaceTempView(view);
    return new Staged(view, shuffled);
  }

  private long snapshotOf(String id) {
    for (Snapshot snapshot : SparkTables.load(spark, name).snapshots()) {
      if (id.equals(snapshot.summary().get(ID))) {
        return snapshot.snapshotId();
      }
    }
    throw new IllegalStateException(
        "Cannot find what was staged in " + name + ": somebody expired its snapshots at once");
  }

  private String selected() {
    return names().stream().map(MergeStatement::quoted).collect(Collectors.joining(", "));
  }

  private List<String> names() {
    List<String> names = new ArrayList<>(columns.identity());
    names.addAll(
        List.of(
            LedgerSchema.OP,
            LedgerSchema.BEFORE_IMAGE,
            LedgerSchema.AFTER_IMAGE,
            LedgerSchema.CDC_ORD,
            LedgerSchema.SOURCE_TIME,
            LedgerSchema.KEY_CHANGED));
    return names;
  }

  /** One that was made for another base table, or by an older version. */
  private void expectColumns() {
    List<String> found = List.of(spark.table(name.sql()).columns());
    if (!found.equals(names())) {
      throw new IllegalArgumentException(
          "Cannot stage in %s: it has columns %s (expected: %s). Drop it, the merge makes it again, or name another table."
              .formatted(name, found, names()));
    }
  }

  private static String partitions(Table base) {
    return base.spec().fields().stream()
        .map(field -> partition(base, field))
        .collect(Collectors.joining(", "));
  }

  private static String partition(Table base, PartitionField field) {
    String column = MergeStatement.quoted(base.schema().findColumnName(field.sourceId()));
    Matcher bucket = BUCKET.matcher(field.transform().toString());
    if (bucket.matches()) {
      return "bucket(" + bucket.group(1) + ", " + column + ")";
    }
    if (field.transform().isIdentity()) {
      return column;
    }
    throw new IllegalArgumentException(
        "Cannot stage for %s: it is partitioned by %s of %s (expected: buckets or values of key columns)"
            .formatted(base.name(), field.transform(), column));
  }
}
